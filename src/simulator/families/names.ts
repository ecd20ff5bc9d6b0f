/** The inverter families that the simulator knows: one for each way in which families differ. */
export const FAMILIES = ['classic', 'hpvinv02', 'uwb1', 'pi30', 'mega-eco', 'sierro'] as const;

export type Family = (typeof FAMILIES)[number];
