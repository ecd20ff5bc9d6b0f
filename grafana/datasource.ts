/** The data source that the person has chosen at the top of the dashboard. */
export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;
