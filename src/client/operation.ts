/** Every call the service is asked; the label values of a counter and the names in `check`. */
export const OPERATIONS = [
  'login',
  'refresh',
  'stations',
  'devices',
  'readings',
  'summary',
  'settings-get',
  'settings-set',
  'settings-read',
  'settings-read-details',
  'latest-state',
  'energy-flow',
  'attributes',
  'alarms',
] as const;

export type Operation = (typeof OPERATIONS)[number];
