{{- /* selector: what the members have in common, and nothing else in the namespace has. */ -}}
{{- define "redis.selector" -}}
app.kubernetes.io/name: redis
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "redis.labels" -}}
{{ include "redis.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* clustered says that members are a Redis Cluster. */ -}}
{{- define "redis.clustered" -}}
{{- if (.Values.cluster | default dict).enabled }}true{{ end }}
{{- end }}

{{- /* guarded says that a Sentinel is beside each member. */ -}}
{{- define "redis.guarded" -}}
{{- if and (gt (int .Values.nodes) 1) (not (include "redis.clustered" .)) }}true{{ end }}
{{- end }}

{{- /* security is what members ask of their clients. */ -}}
{{- define "redis.security" -}}
{{ (.Values.security | default dict).level | default "None" }}
{{- end }}

{{- /* credentialsMount is of both containers. */ -}}
{{- define "redis.credentialsMount" -}}
{{- if ne (include "redis.security" .) "None" }}
- name: credentials
  mountPath: /etc/redis-credentials
  readOnly: true
{{- end }}
{{- end }}

{{- /* containerSecurity is of both containers. */ -}}
{{- define "redis.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* environment is what the start scripts need to know. */ -}}
{{- define "redis.environment" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: RELEASE
  value: {{ .Release.Name | quote }}
- name: DOMAIN
  value: {{ printf "%s.%s.svc" .Release.Name .Release.Namespace | quote }}
- name: PROGRAMS
  value: {{ .Values.programs | quote }}
- name: NODES
  value: {{ int .Values.nodes | quote }}
- name: SECURITY
  value: {{ include "redis.security" . | quote }}
{{- end }}
