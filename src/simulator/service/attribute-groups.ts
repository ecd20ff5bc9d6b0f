/** A group that the portal shows attributes in. */
export interface AttributeGroup {
  readonly id: string;
  readonly key: string;
  readonly name: string;
}

interface GroupRow extends AttributeGroup {
  readonly keys: RegExp;
}

/** The groups, by the words in the keys; the first that fits takes a key, the last takes any. */
const GROUPS: readonly GroupRow[] = [
  group('1', 'battery_status', 'Battery', /batter|bms|soc|soh|cell/i),
  group('2', 'pv_panel_status', 'PV Panel', /^pv|generation|solar|sun/i),
  group('3', 'grid_status', 'Grid', /grid|mains|feeder|feedIn|acInput|meter/i),
  group('4', 'load_status', 'Load', /load|output|house/i),
  group('5', 'device_status', 'Device', /(?:)/),
];

/** Puts what has a key into its group; groups without anything are left out. */
export function inGroups<T extends { readonly key: string }>(
  attributes: readonly T[],
): readonly { readonly group: AttributeGroup; readonly members: readonly T[] }[] {
  const groupOf = (key: string): GroupRow | undefined => GROUPS.find(({ keys }) => keys.test(key));
  return GROUPS.map((row) => ({
    group: { id: row.id, key: row.key, name: row.name },
    members: attributes.filter(({ key }) => groupOf(key) === row),
  })).filter(({ members }) => members.length > 0);
}

function group(id: string, key: string, name: string, keys: RegExp): GroupRow {
  return { id, key, name, keys };
}
