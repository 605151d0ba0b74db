{{- /* selector: what the members have in common, and nothing else in the namespace has. */ -}}
{{- define "cassandra.selector" -}}
app.kubernetes.io/name: cassandra
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cassandra.labels" -}}
{{ include "cassandra.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* security: its level; None without one. */ -}}
{{- define "cassandra.security" -}}
{{- (.Values.security | default dict).level | default "None" }}
{{- end }}

{{- /* asks is what members ask of their clients, and with TLS of each other. */ -}}
{{- define "cassandra.asks" -}}
{{- $security := include "cassandra.security" . }}
{{- if ne $security "None" }}
authenticator: PasswordAuthenticator
authorizer: CassandraAuthorizer
# Each member has all users. A majority, which is Cassandra's default, would have to be there for them
# also where the run's mode asks one member alone for a record.
auth_read_consistency_level: LOCAL_ONE
{{- end }}
{{- if eq $security "TLS" }}
client_encryption_options:
  {{- include "cassandra.keys" . | nindent 2 }}
  enabled: true
  optional: false
server_encryption_options:
  {{- include "cassandra.keys" . | nindent 2 }}
  internode_encryption: all
# Clients have certificates of the same authority, without this identity.
internode_authenticator:
  class_name: org.apache.cassandra.auth.MutualTlsInternodeAuthenticator
  parameters:
    validator_class_name: org.apache.cassandra.auth.SpiffeCertificateValidator
    trusted_peer_identities: spiffe://kvbench/member
{{- end }}
{{- end }}

{{- /* keys are where a member's certificates are, of clients and of members. */ -}}
{{- define "cassandra.keys" -}}
ssl_context_factory:
  class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
keystore: /etc/cassandra-credentials/tls.pem
truststore: /etc/cassandra-credentials/ca.crt
require_client_auth: true
{{- end }}

{{- /* settings are the values' but for those that aren't Cassandra's. What is left out has
Cassandra's default. */ -}}
{{- define "cassandra.settings" -}}
{{- $settings := .Values.settings | default dict }}
{{- $unit := dict "batch" "" "group" "commitlog_sync_group_window" "periodic" "commitlog_sync_period" }}
{{- $sync := $settings.commitlog_sync | default "batch" }}
commitlog_sync: {{ $sync }}
{{- with get $unit $sync }}
{{ . }}: {{ get $settings . | default "10000ms" }}
{{- end }}
{{- range $name := list "concurrent_reads" "concurrent_writes" "phi_convict_threshold" }}
{{- if hasKey $settings $name }}
{{ $name }}: {{ int (get $settings $name) }}
{{- end }}
{{- end }}
{{- with $settings.max_mutation_size }}
{{- $mebibytes := int (trimSuffix "MiB" .) }}
max_mutation_size: {{ . }}
commitlog_segment_size: {{ max 32 (mul 2 $mebibytes) }}MiB
# One address may have as much under way as a write may have, or a fortieth of the heap; and all together a tenth of the heap, or as much.
{{- $heap := $settings.heap | default "256m" }}
{{- $heapMebibytes := mul (int (trimAll "mg" $heap)) (hasSuffix "g" $heap | ternary 1024 1) }}
native_transport_max_message_size: {{ . }}
native_transport_max_request_data_in_flight_per_ip: {{ max $mebibytes (div $heapMebibytes 40) }}MiB
native_transport_max_request_data_in_flight: {{ max $mebibytes (div $heapMebibytes 10) }}MiB
{{- end }}
{{- range $name := list "read_request_timeout" "write_request_timeout" "hinted_handoff_enabled" }}
{{- if hasKey $settings $name }}
{{ $name }}: {{ get $settings $name }}
{{- end }}
{{- end }}
{{- end }}

{{- /* tokens of a member: each has as much of the ring as any other, in as many parts. They are
-2^63 + (2j+1)h for j = member, member+nodes, ..., where h is half of a part; what a multiplication
has beyond 64 bits drops out of the sum too. */ -}}
{{- define "cassandra.tokens" -}}
{{- $nodes := int64 .root.Values.nodes }}
{{- $parts := int64 ((.root.Values.settings | default dict).num_tokens | default 16) }}
{{- $half := div 9223372036854775807 (mul $nodes $parts) }}
{{- $member := int64 .member }}
{{- $tokens := list }}
{{- range $part := until (int $parts) }}
{{- $tokens = append $tokens (printf "%d" (add -9223372036854775808 (mul $half (add 1 (mul 2 (add $member (mul $nodes (int64 $part)))))))) }}
{{- end }}
{{- join "," $tokens }}
{{- end }}

{{- /* config is Cassandra's own file, of one member. The addresses to listen at are left out:
they are then the pod's. */ -}}
{{- define "cassandra.config" -}}
{{- $root := .root -}}
cluster_name: kvbench
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
num_tokens: {{ int (($root.Values.settings | default dict).num_tokens | default 16) }}
initial_token: {{ include "cassandra.tokens" . | quote }}
# Nobody has records when members join: there is nothing to stream.
auto_bootstrap: false
# Members go by their host names, since a pod that is replaced has another address.
seed_provider:
- class_name: org.apache.cassandra.locator.SimpleSeedProvider
  parameters:
  - seeds: {{ include "cassandra.seeds" $root | quote }}
storage_port: 7000
native_transport_port: 9042
# The cluster is new: no member is of an older version.
storage_compatibility_mode: NONE
# A member that can't write ends, and is started again.
disk_failure_policy: die
commit_failure_policy: die
# An emptied table leaves no copy.
auto_snapshot: false
memtable:
  configurations:
    default:
      class_name: {{ eq (($root.Values.settings | default dict).memtable | default "skiplist") "trie" | ternary "TrieMemtable" "SkipListMemtable" }}
{{ include "cassandra.settings" $root | trim }}
{{- include "cassandra.asks" $root }}
{{- end }}

{{- define "cassandra.seeds" -}}
{{- $seeds := list }}
{{- range $i := until (int .Values.nodes) }}
{{- $seeds = append $seeds (printf "%s-%d.%s.%s.svc" $.Release.Name $i $.Release.Name $.Release.Namespace) }}
{{- end }}
{{- join "," $seeds }}
{{- end }}
