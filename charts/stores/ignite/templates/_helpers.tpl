{{- /* selector: what the members have in common, and nothing else in the namespace has. */ -}}
{{- define "ignite.selector" -}}
app.kubernetes.io/name: ignite
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ignite.labels" -}}
{{ include "ignite.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* ephemeral is "true" for members without a volume of their own. */ -}}
{{- define "ignite.ephemeral" -}}
{{- or .Values.storage.ephemeral (not .Values.persistence) -}}
{{- end }}

{{- /* security: its level; None without one. */ -}}
{{- define "ignite.security" -}}
{{- (.Values.security | default dict).level | default "None" }}
{{- end }}

{{- /* keys are a member's certificate, and whom it believes, by the names of their files. */ -}}
{{- define "ignite.keys" -}}
{{- $password := "#{T(java.nio.file.Files).readString(new java.io.File('/etc/ignite-credentials/password').toPath()).toCharArray()}" -}}
<bean class="org.apache.ignite.ssl.SslContextFactory">
  <property name="keyStoreType" value="PKCS12"/>
  <property name="keyStoreFilePath" value="/etc/ignite-credentials/{{ .own }}"/>
  <property name="keyStorePassword" value="{{ $password }}"/>
  <property name="trustStoreType" value="PKCS12"/>
  <property name="trustStoreFilePath" value="/etc/ignite-credentials/{{ .believed }}"/>
  <property name="trustStorePassword" value="{{ $password }}"/>
</bean>
{{- end }}

{{- /* property is one of a bean's, if the settings have it. */ -}}
{{- define "ignite.property" -}}
{{- if hasKey .settings .name -}}
{{- $value := get .settings .name -}}
<property name="{{ .property }}" value="{{ if .mebibytes }}#{ {{- int64 $value }}L * 1024 * 1024}{{ else if kindIs "float64" $value }}{{ int64 $value }}{{ else }}{{ $value }}{{ end }}"/>
{{- end }}
{{- end }}

{{- /* config is Ignite's own file. The schema lets no letters into it but those of known words. What
is left out of the values has Ignite's default. */ -}}
{{- define "ignite.config" -}}
{{- $settings := .Values.settings | default dict -}}
<?xml version="1.0" encoding="UTF-8"?>
<beans xmlns="http://www.springframework.org/schema/beans" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.springframework.org/schema/beans http://www.springframework.org/schema/beans/spring-beans.xsd">
<bean class="org.apache.ignite.configuration.IgniteConfiguration">
  <!-- A member keeps its name when its pod is made anew, which its cluster's baseline knows it by. -->
  <property name="consistentId" value="#{systemEnvironment['POD_NAME']}"/>
  <property name="localHost" value="#{systemEnvironment['POD_IP']}"/>
  <property name="workDirectory" value="/var/lib/ignite"/>
  <property name="connectorConfiguration"><null/></property>
  {{- include "ignite.property" (dict "settings" $settings "name" "failure-detection-timeout" "property" "failureDetectionTimeout") | nindent 2 }}
  <property name="clientConnectorConfiguration">
    <bean class="org.apache.ignite.configuration.ClientConnectorConfiguration">
      <property name="port" value="10800"/>
      <property name="portRange" value="0"/>
      <property name="jdbcEnabled" value="false"/>
      <property name="odbcEnabled" value="false"/>
      {{- if eq (include "ignite.security" .) "TLS" }}
      <property name="sslEnabled" value="true"/>
      <property name="sslClientAuth" value="true"/>
      <property name="useIgniteSslContextFactory" value="false"/>
      <property name="sslContextFactory">
        {{- include "ignite.keys" (dict "own" "tls.p12" "believed" "ca.p12") | nindent 8 }}
      </property>
      {{- end }}
    </bean>
  </property>
  {{- if eq (include "ignite.security" .) "Auth" }}
  <!-- Its only user begins with the password that everybody knows, and gets the run's from outside. -->
  <property name="authenticationEnabled" value="true"/>
  {{- end }}
  {{- if eq (include "ignite.security" .) "TLS" }}
  <!-- Of an authority that has signed no client's certificate. -->
  <property name="sslContextFactory">
    {{- include "ignite.keys" (dict "own" "peer.p12" "believed" "peer-ca.p12") | nindent 4 }}
  </property>
  {{- end }}
  <property name="discoverySpi">
    <bean class="org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi">
      <property name="localPort" value="47500"/>
      <property name="localPortRange" value="0"/>
      <property name="ipFinder">
        <bean class="org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder">
          <property name="addresses">
            <list>
              {{- range $i := until (int .Values.nodes) }}
              <value>{{ printf "%s-%d.%s.%s.svc:47500" $.Release.Name $i $.Release.Name $.Release.Namespace }}</value>
              {{- end }}
            </list>
          </property>
        </bean>
      </property>
    </bean>
  </property>
  <property name="communicationSpi">
    <bean class="org.apache.ignite.spi.communication.tcp.TcpCommunicationSpi">
      <property name="localPort" value="47100"/>
      <property name="localPortRange" value="0"/>
    </bean>
  </property>
  <property name="dataStorageConfiguration">
    <bean class="org.apache.ignite.configuration.DataStorageConfiguration">
      <property name="defaultDataRegionConfiguration">
        <bean class="org.apache.ignite.configuration.DataRegionConfiguration">
          <property name="name" value="default"/>
          <property name="initialSize" value="#{16L * 1024 * 1024}"/>
          {{- include "ignite.property" (dict "settings" $settings "name" "region-mib" "property" "maxSize" "mebibytes" true) | nindent 10 }}
          <property name="persistenceEnabled" value="{{ .Values.persistence }}"/>
        </bean>
      </property>
      {{- if .Values.persistence }}
      {{- include "ignite.property" (dict "settings" $settings "name" "wal-mode" "property" "walMode") | nindent 6 }}
      {{- include "ignite.property" (dict "settings" $settings "name" "wal-segment-mib" "property" "walSegmentSize" "mebibytes" true) | nindent 6 }}
      {{- include "ignite.property" (dict "settings" $settings "name" "max-wal-archive-mib" "property" "maxWalArchiveSize" "mebibytes" true) | nindent 6 }}
      {{- end }}
    </bean>
  </property>
  <!-- Templates: the driver asks for a cache whose name begins with that of one. -->
  <property name="cacheConfiguration">
    <list>
      {{- range $mode, $atomicity := dict "atomic" "ATOMIC" "transactional" "TRANSACTIONAL" }}
      <bean class="org.apache.ignite.configuration.CacheConfiguration">
        <property name="name" value="{{ $mode }}-*"/>
        <property name="atomicityMode" value="{{ $atomicity }}"/>
        {{- range $name, $property := dict "backups" "backups" "write-synchronization-mode" "writeSynchronizationMode" "read-from-backup" "readFromBackup" "partition-loss-policy" "partitionLossPolicy" }}
        {{- include "ignite.property" (dict "settings" $settings "name" $name "property" $property) | nindent 8 }}
        {{- end }}
        {{- if hasKey $settings "partitions" }}
        <property name="affinity">
          <bean class="org.apache.ignite.cache.affinity.rendezvous.RendezvousAffinityFunction">
            <property name="partitions" value="{{ int (get $settings "partitions") }}"/>
          </bean>
        </property>
        {{- end }}
        <!-- What SQL knows of it, which scans are asked in, along the index of the keys. -->
        <property name="queryEntities">
          <list>
            <bean class="org.apache.ignite.cache.QueryEntity">
              <property name="keyType" value="java.lang.String"/>
              <property name="valueType" value="[B"/>
              <property name="tableName" value="RECORD"/>
            </bean>
          </list>
        </property>
      </bean>
      {{- end }}
    </list>
  </property>
</bean>
</beans>
{{- end }}
