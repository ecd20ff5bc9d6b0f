/** Who the account belongs to: ids like all others here, made up and beyond 2^53. */
export const OWNER = { authId: '700000000000000011', userId: '700000000000000013' } as const;

/** The fields by which every record names its owner. */
export const OWNED = { ownerUserId: OWNER.userId, ownerUserName: 'demo' } as const;

/** When every station and device was installed. */
export const CREATED_AT = '2024-01-01T00:00:00Z';

/** What a station's energy earns. */
export const INCOME = { currencyCode: 'EUR', energyIncomePrice: 0.1 } as const;
