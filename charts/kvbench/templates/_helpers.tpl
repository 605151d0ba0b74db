{{- define "kvbench.labels" -}}
app.kubernetes.io/name: kvbench
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "kvbench.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What the restricted Pod Security Standard asks of a pod. */}}
{{- define "kvbench.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "kvbench.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* The subject of a service account of this release, as the API server names it. */}}
{{- define "kvbench.subject" -}}
system:serviceaccount:{{ .context.Release.Namespace }}:{{ .name }}
{{- end }}

{{/* The rules of files/role.yaml, which is generated from the markers in ./controllers. */}}
{{- define "kvbench.generatedRules" -}}
{{- $kind := .kind }}
{{- range splitList "\n---\n" (printf "\n%s" (.context.Files.Get "files/role.yaml")) }}
{{- $role := fromYaml . }}
{{- if eq (get $role "kind") $kind }}
{{- toYaml $role.rules }}
{{- end }}
{{- end }}
{{- end }}

{{/* Subjects of a RoleBinding. A service account without a namespace is the namespace's own. */}}
{{- define "kvbench.subjects" -}}
{{- $namespace := .namespace }}
{{- range .subjects }}
- kind: {{ .kind }}
  name: {{ .name | quote }}
  {{- if eq .kind "ServiceAccount" }}
  namespace: {{ .namespace | default $namespace | quote }}
  {{- else }}
  apiGroup: rbac.authorization.k8s.io
  {{- end }}
{{- end }}
{{- end }}

{{/* Whether the object of the Prometheus operator is made: (list . "PodMonitor"). */}}
{{- define "kvbench.monitors" -}}
{{- $context := index . 0 }}
{{- $monitors := $context.Values.metrics.monitors }}
{{- if or (eq $monitors "always") (and (eq $monitors "auto") ($context.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" (index . 1)))) -}}
yes
{{- end }}
{{- end }}

{{/* The Secret that goes with an address for remote write; none without an address. */}}
{{- define "kvbench.remoteWriteSecret" -}}
{{- if .Values.metrics.remoteWrite.url }}{{ .Values.metrics.remoteWrite.secret }}{{ end }}
{{- end }}

{{- define "kvbench.monitorLabels" -}}
{{ include "kvbench.labels" . }}
{{- with .Values.metrics.monitorLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What a pod's metrics get of a run, and what of them is kept. */}}
{{- define "kvbench.podLimits" -}}
podTargetLabels: [kvbench.io/run, kvbench.io/role]
# Whoever may make a pod may call it one of a run: this is what such a one can make Prometheus keep.
sampleLimit: 5000
labelLimit: 64
bodySizeLimit: 4MB
{{- end }}

{{/* An endpoint of a monitor, of its values. The operator refuses one whose timeout is longer than its interval. */}}
{{- define "kvbench.endpoint" -}}
port: metrics
interval: {{ .interval }}
scrapeTimeout: {{ .scrapeTimeout | default .interval }}
{{- with .relabelings }}
relabelings: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .metricRelabelings }}
metricRelabelings: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
