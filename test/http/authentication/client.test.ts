import { expect, test } from 'vitest';
import { networkOf } from '../../../src/http/authentication/client.ts';

test.each([
  { address: '192.0.2.7', network: '192.0.2.7' },
  { address: '::ffff:192.0.2.7', network: '192.0.2.7' },
  { address: '::FFFF:192.0.2.7', network: '192.0.2.7' },
  { address: '2001:db8:1:2:3:4:5:6', network: '2001:db8:1:2::/64' },
  { address: '2001:db8:1:2::6', network: '2001:db8:1:2::/64' },
  { address: '2001:db8::6', network: '2001:db8:0:0::/64' },
  { address: '2001:DB8::', network: '2001:db8:0:0::/64' },
  { address: '2001:0db8:0000::2:3:4:5', network: '2001:db8:0:0::/64' },
  { address: '::1', network: '0:0:0:0::/64' },
  { address: 'fe80::1%eth0', network: 'fe80:0:0:0::/64' },
  { address: undefined, network: 'unknown' },
])('$address counts as $network', ({ address, network }) => {
  expect(networkOf(address)).toBe(network);
});
