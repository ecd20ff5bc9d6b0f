{{- define "solar-exporter.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of every object: that of the release, which usually says what it is. */}}
{{- define "solar-exporter.fullname" -}}
{{- $name := include "solar-exporter.name" . }}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- default $full .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* What tells the pod of this release from all others. It cannot change after the installation. */}}
{{- define "solar-exporter.selectorLabels" -}}
app.kubernetes.io/name: {{ include "solar-exporter.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "solar-exporter.labels" -}}
{{ include "solar-exporter.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Metadata of an object. Takes a dict: "root", and where wanted "suffix" of the name, "labels", "annotations". */}}
{{- define "solar-exporter.metadata" -}}
name: {{ include "solar-exporter.fullname" .root }}{{ .suffix }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "solar-exporter.labels" .root | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "solar-exporter.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "solar-exporter.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "solar-exporter.image" -}}
{{- with .Values.image }}
{{- if .digest }}
{{- printf "%s@%s" .repository .digest }}
{{- else }}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where the exporter listens inside the cluster. */}}
{{- define "solar-exporter.address" -}}
{{ include "solar-exporter.fullname" . }}.{{ .Release.Namespace }}.svc:{{ .Values.service.port }}
{{- end }}
