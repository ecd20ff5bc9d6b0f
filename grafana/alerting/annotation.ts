/** The look-up of a name in the rules of Prometheus, with the id that stands in for it. */
const LOOK_UP =
  /\{\{ with printf "(?:last_over_time\()?solar_(device|station)_info\{[^"]*" [^|]*\| query \}\}\{\{ \. \| first \| label "name" \}\}\{\{ else \}\}\{\{ \$labels\.(\w+) \}\}\{\{ end \}\}/g;

/**
 * Makes an annotation of Prometheus one of Grafana: names are labels, and the value is that of the query A. No dollar
 * sign is left, which a provisioning file would take for a variable of the environment. Throws RangeError when
 * something else looks up or has a dollar sign.
 */
export function grafanaAnnotation(text: string): string {
  const told = text
    .replaceAll(LOOK_UP, '{{ with .Labels.$1 }}{{ . }}{{ else }}{{ .Labels.$2 }}{{ end }}')
    .replaceAll('$labels.', '.Labels.')
    .replaceAll('$value', '.Values.A.Value');
  if (/\$|\bquery\b/.test(told)) throw new RangeError(`Grafana cannot say: ${told}`);
  return told;
}
