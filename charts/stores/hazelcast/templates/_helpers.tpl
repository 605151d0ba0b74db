{{- /* selector: what the members have in common, and nothing else in the namespace has. */ -}}
{{- define "hazelcast.selector" -}}
app.kubernetes.io/name: hazelcast
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hazelcast.labels" -}}
{{ include "hazelcast.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* groupSize is how many members are in the raft group: 3, 5 or 7, as the driver's GroupSize. */ -}}
{{- define "hazelcast.groupSize" -}}
{{- $nodes := int .Values.nodes -}}
{{- if ge $nodes 7 }}7{{ else if ge $nodes 5 }}5{{ else }}3{{ end }}
{{- end }}

{{- /* config is Hazelcast's own file. What is left out of the values has Hazelcast's default. */ -}}
{{- define "hazelcast.config" -}}
{{- $settings := .Values.settings | default dict -}}
hazelcast:
  network:
    port:
      port: 5701
      auto-increment: false
    join:
      auto-detection: {enabled: false}
      multicast: {enabled: false}
      tcp-ip:
        enabled: true
        member-list:
        {{- range $i := until (int .Values.nodes) }}
        - {{ printf "%s-%d.%s.%s.svc:5701" $.Release.Name $i $.Release.Name $.Release.Namespace }}
        {{- end }}
    rest-api:
      enabled: true
      endpoint-groups:
        HEALTH_CHECK: {enabled: true}
  {{- if .Values.cp }}
  # One group, of as many members as it can have. What a member is in it its metrics tell, and no
  # answer of REST's.
  cp-subsystem:
    cp-member-count: {{ include "hazelcast.groupSize" . }}
    group-size: {{ include "hazelcast.groupSize" . }}
    # Or a write whose answer is lost is tried again, and may be done again after a later one.
    fail-on-indeterminate-operation-state: true
    raft-algorithm:
      {{- range $name, $option := dict "leader-election-timeout-millis" "leader-election-timeout-in-millis" "leader-heartbeat-period-millis" "leader-heartbeat-period-in-millis" "max-missed-leader-heartbeats" "max-missed-leader-heartbeat-count" }}
      {{- if hasKey $settings $name }}
      {{ $option }}: {{ int (get $settings $name) }}
      {{- end }}
      {{- end }}
  metrics:
    collection-frequency-seconds: 1
  {{- end }}
  # SQL, which scans are asked in, is Jet's.
  jet: {enabled: true}
  # A record is an entry of the map with its table's name.
  map:
    default:
      {{- range $name := list "backup-count" "async-backup-count" }}
      {{- if hasKey $settings $name }}
      {{ $name }}: {{ int (get $settings $name) }}
      {{- end }}
      {{- end }}
      {{- if hasKey $settings "read-backup-data" }}
      read-backup-data: {{ get $settings "read-backup-data" }}
      {{- end }}
      {{- if get $settings "sorted-index" }}
      indexes:
      - type: SORTED
        attributes: [__key]
      {{- end }}
  properties:
    hazelcast.phone.home.enabled: "false"
    {{- if .Values.cp }}
    # How often members look at what they are in the group, to tell it in their metrics.
    hazelcast.diagnostics.metrics.period.seconds: "1"
    {{- end }}
    {{- range $name, $property := dict "max-no-heartbeat-seconds" "hazelcast.max.no.heartbeat.seconds" "merge-first-run-delay-seconds" "hazelcast.merge.first.run.delay.seconds" "merge-next-run-delay-seconds" "hazelcast.merge.next.run.delay.seconds" }}
    {{- if hasKey $settings $name }}
    {{ $property }}: {{ int (get $settings $name) | quote }}
    {{- end }}
    {{- end }}
{{- end }}
