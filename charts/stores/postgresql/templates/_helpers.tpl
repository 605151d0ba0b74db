{{- /* selector: what the members have in common, and nothing else in the namespace has. */ -}}
{{- define "postgresql.selector" -}}
app.kubernetes.io/name: postgresql
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "postgresql.labels" -}}
{{ include "postgresql.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* security: its level; None without one. */ -}}
{{- define "postgresql.security" -}}
{{- (.Values.security | default dict).level | default "None" }}
{{- end }}

{{- /* quorum: so many standbys that they are a majority with the primary. */ -}}
{{- define "postgresql.quorum" -}}
{{- $standbys := list }}
{{- range $i := untilStep 1 (int .Values.nodes) 1 }}
{{- $standbys = append $standbys (printf "\"%s-%d\"" $.Release.Name $i) }}
{{- end }}
{{- if and .Values.synchronous $standbys }}
{{- printf "ANY %d (%s)" (div (int .Values.nodes) 2) (join ", " $standbys) }}
{{- end }}
{{- end }}

{{- /* logRoom: a quarter of the volume, from 64 MB to 1 GB. The schema lets nothing but
digits and one of these suffixes through. */ -}}
{{- define "postgresql.logRoom" -}}
{{- $size := .Values.storage.size | default "4Gi" }}
{{- $factor := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $bytes := mul (regexFind "^[0-9]+" $size | int64) (get $factor (regexFind "[A-Za-z]*$" $size)) }}
{{- max 64 (min (div $bytes 4194304) 1024) }}MB
{{- end }}
