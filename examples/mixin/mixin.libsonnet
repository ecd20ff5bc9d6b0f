// The dashboard, the alerts and the recording rules as a monitoring mixin, for those who build their monitoring with
// jsonnet 0.18 or newer:
//
//   jb install github.com/solar-exporter/solar-exporter@main
//   echo "(import 'github.com/solar-exporter/solar-exporter/examples/mixin/mixin.libsonnet') {
//     _config+:: { job: 'solar' } }" > solar.libsonnet
//   jsonnet -J vendor -S -e "std.manifestYamlDoc((import 'solar.libsonnet').prometheusAlerts)"
//
// They are those of the repository, which this only imports: so the whole repository is installed.
{
  _config+:: {
    // The name of the scrape job, in the rules: the dashboard lets one choose it.
    job: 'solar',
  },

  // The rules of prometheus/rules/solar.yml as JSON, made by npm run dashboard: jsonnet 0.18 does not read all of YAML.
  local groups = std.parseJson(
    std.strReplace(importstr 'rules.json', 'job=\\"solar\\"', 'job=\\"%s\\"' % $._config.job)
  ).groups,

  // The rules of each group that are of this kind; a group without one is left out.
  local groupsOf(kind, suffix) = [
    group { name: group.name + suffix, rules: rules }
    for group in groups
    for rules in [[rule for rule in group.rules if std.objectHas(rule, kind)]]
    if std.length(rules) > 0
  ],

  grafanaDashboards+:: {
    'solar.json': import '../../grafana/dashboards/solar.json',
  },

  // The suffix is for those who put both into one file, which cannot have two groups of one name.
  prometheusAlerts+:: {
    groups+: groupsOf('alert', '-alerts'),
  },

  prometheusRules+:: {
    groups+: groupsOf('record', ''),
  },
}
