{{- /* selector: what the members have in common, and nothing else in the namespace has. */ -}}
{{- define "etcd.selector" -}}
app.kubernetes.io/name: etcd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "etcd.labels" -}}
{{ include "etcd.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* tls: not empty where connections are encrypted. */ -}}
{{- define "etcd.tls" -}}
{{- if eq (.Values.security | default dict).level "TLS" }}yes{{ end }}
{{- end }}

{{- /* auth: not empty where clients have users. */ -}}
{{- define "etcd.auth" -}}
{{- if eq (.Values.security | default dict).level "Auth" }}yes{{ end }}
{{- end }}

{{- /* credentials: the files of the Secret that a member needs; empty for none. The password is for
a member that has to ask the others to take it in. */ -}}
{{- define "etcd.credentials" -}}
{{- if include "etcd.tls" . }}ca.crt tls.crt tls.key peer.crt peer.key{{ end }}
{{- if include "etcd.auth" . }}token-key{{ if (.Values.rejoin | default dict).image }} username password{{ end }}{{ end }}
{{- end }}

{{- define "etcd.scheme" -}}
http{{ if include "etcd.tls" . }}s{{ end }}
{{- end }}

{{- /* initialCluster: every member's name and peer URL; the same text in every member. */ -}}
{{- define "etcd.initialCluster" -}}
{{- $name := .Release.Name }}
{{- $namespace := .Release.Namespace }}
{{- $peers := list }}
{{- range $i := until (int .Values.nodes) }}
{{- $peers = append $peers (printf "%s-%d=%s://%s-%d.%s.%s.svc:2380" $name $i (include "etcd.scheme" $) $name $i $name $namespace) }}
{{- end }}
{{- join "," $peers }}
{{- end }}

{{- /* quota: bytes of the database, half of the volume but at most 8 GiB (etcd advises
against more). The schema lets nothing but digits and one of these suffixes through. */ -}}
{{- define "etcd.quota" -}}
{{- $size := .Values.storage.size | default "1Gi" }}
{{- $factor := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $bytes := mul (regexFind "^[0-9]+" $size | int64) (get $factor (regexFind "[A-Za-z]*$" $size)) }}
{{- min (div $bytes 2) 8589934592 }}
{{- end }}

{{- define "etcd.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
