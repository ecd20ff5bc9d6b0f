{{/* The credentials that stand in the values, as a JSON object: from the option's name to its value. */}}
{{- define "solar-exporter.givenCredentials" -}}
{{- $given := dict }}
{{- range $name := list "account" "appId" "password" "appSecret" "appSecretEncrypted" "accessToken" "refreshToken" }}
{{- with get $.Values.credentials $name }}
{{- $_ := set $given ($name | kebabcase) . }}
{{- end }}
{{- end }}
{{- toJson $given }}
{{- end }}

{{/* The keys of the Secret that the exporter uses, as a JSON list; empty in the demo. */}}
{{- define "solar-exporter.credentialKeys" -}}
{{- if .Values.demo }}
{{- list | toJson }}
{{- else if .Values.credentials.existingSecret }}
{{- .Values.credentials.keys | toJson }}
{{- else }}
{{- include "solar-exporter.givenCredentials" . | fromJson | keys | sortAlpha | toJson }}
{{- end }}
{{- end }}

{{- define "solar-exporter.secretName" -}}
{{- default (include "solar-exporter.fullname" .) .Values.credentials.existingSecret }}
{{- end }}

{{/* Whether an option may be seen by whoever sees the environment of the pod. */}}
{{- define "solar-exporter.isOpen" -}}
{{- if has . (list "account" "app-id") }}true{{ end }}
{{- end }}

{{/* Refuses what the schema cannot say, in words. */}}
{{- define "solar-exporter.validate" -}}
{{- $given := include "solar-exporter.givenCredentials" . | fromJson }}
{{- if and .Values.credentials.existingSecret $given }}
{{- fail (printf "credentials: %s stands beside existingSecret; say it in one place only" ($given | keys | sortAlpha | join ", ")) }}
{{- end }}
{{- if not (or .Values.demo .Values.credentials.existingSecret $given) }}
{{- fail "credentials are missing: name credentials.existingSecret, or give credentials.account, password, appId and appSecret; or see it work with demo=true" }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled .Values.scrapeConfig.enabled }}
{{- fail "serviceMonitor and scrapeConfig are both enabled: Prometheus would store everything twice" }}
{{- end }}
{{- $secret := list "password" "app-secret" "app-secret-encrypted" "access-token" "refresh-token" }}
{{- range $name := $secret }}
{{- if hasKey $.Values.config $name }}
{{- fail (printf "config: %s would be readable in a ConfigMap; put it into the Secret and say %s-file: /secrets/…" $name $name) }}
{{- end }}
{{- end }}
{{- end }}
