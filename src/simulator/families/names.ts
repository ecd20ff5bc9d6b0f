/** The inverter families that the simulator knows. */
export const FAMILIES = [
  'classic',
  'hpvinv02',
  'uwb1',
  'pi30',
  'mega-eco',
  'a-phase-hybrid',
  'msdc',
  'sierro',
  'maniy',
  'techfine',
  'charge-controller',
  'fchao',
  'undescribed',
] as const;

export type Family = (typeof FAMILIES)[number];
