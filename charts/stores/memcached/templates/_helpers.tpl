{{- /* selector: what the members have in common, and nothing else in the namespace has. */ -}}
{{- define "memcached.selector" -}}
app.kubernetes.io/name: memcached
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "memcached.labels" -}}
{{ include "memcached.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
