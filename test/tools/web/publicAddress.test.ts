import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress, whyPrivate } from '../../../src/tools/web/publicAddress.ts';
import { readWebUrl } from '../../../src/tools/web/webUrl.ts';

describe('an address on the public internet', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('an address of this machine, its network or its cloud, or an unassigned one', () => {
  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '169.254.170.2',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::10.0.0.0',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '127.0.0.1 ',
    '0x7f.1',
    '2130706433',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(false));
});

/** The same decision from the registries, computed with numbers instead of lists. */
function isPrivate4(value: number): boolean {
  const within = (network: string, prefix: number): boolean => {
    const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
    const base = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
    return value >= base && value < base + 2 ** (32 - prefix);
  };
  return (
    within('0.0.0.0', 8) ||
    within('10.0.0.0', 8) ||
    within('100.64.0.0', 10) ||
    within('127.0.0.0', 8) ||
    within('169.254.0.0', 16) ||
    within('172.16.0.0', 12) ||
    within('192.168.0.0', 16) ||
    value >= 224 * 2 ** 24
  );
}

const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const number32 = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc
    .constantFrom('10', '100', '127', '169', '172', '192', '224')
    .chain((first) => fc.integer({ min: 0, max: 2 ** 24 - 1 }).map((rest) => Number(first) * 2 ** 24 + rest)),
);

test.each([
  ['93.184.215.99', false],
  ['::ffff:93.184.215.99', false],
  ['64:ff9b::93.184.215.99', false],
  ['93.184.215.98', true],
  ['2a00:1450:4001:81b::99', false],
  ['2a00:1450:4001:81b:1:2:3:4', false],
  ['2a00:1450:4001:81c::99', true],
  ['2001:67c:2e8::1', false],
  ['2001:67c:2e8::2', true],
])(
  'of a machine with public addresses, its own and its IPv6 network are not public: %s',
  (address, expected) => {
    const one = { mac: '', internal: false, netmask: '' };
    const interfaces = () => ({
      eth0: [
        { ...one, address: '93.184.215.99', family: 'IPv4' as const, cidr: '93.184.215.99/24' },
        {
          ...one,
          address: '2a00:1450:4001:81b::99',
          family: 'IPv6' as const,
          scopeid: 0,
          cidr: '2a00:1450:4001:81b::99/64',
        },
      ],
      tunnel: [
        {
          ...one,
          address: '2001:67c:2e8::1',
          family: 'IPv6' as const,
          scopeid: 0,
          cidr: '2001:67c:2e8::1/3',
        },
      ],
    });
    expect(isPublicAddress(address, interfaces)).toBe(expected);
  },
);

test('a private address is never public, however it is written in a URL', () => {
  const spellings: readonly ((value: number) => string)[] = [
    dotted,
    (value) => `${dotted(value)}.`,
    (value) => String(value),
    (value) => `0x${value.toString(16)}`,
    (value) => `0${value.toString(8)}`,
    (value) => `0x${(value >>> 24).toString(16)}.${value & 0xffffff}`,
    (value) => `${value >>> 24}.0${((value >>> 16) & 255).toString(8)}.${value & 0xffff}`,
    (value) => dotted(value).replaceAll('.', '。'),
    (value) => encodeURIComponent(dotted(value)).replace(/\d/, (digit) => `%3${digit}`),
    (value) => `[::ffff:${dotted(value)}]`,
    (value) => `[0:0:0:0:0:FFFF:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}]`,
    (value) => `[64:ff9b::${dotted(value)}]`,
  ];
  fc.assert(
    fc.property(number32, fc.constantFrom(...spellings), (value, spell) => {
      const read = readWebUrl(`http://${spell(value)}/x`);
      if (!read.ok) throw new Error(`${spell(value)}: ${read.message}`);
      const literal = read.domain.replace(/^\[|\]$/g, '');
      expect(isIP(literal)).not.toBe(0);
      if (isPrivate4(value)) expect(isPublicAddress(literal)).toBe(false);
      expect(isPublicAddress(literal)).toBe(isPublicAddress(dotted(value)));
    }),
    { numRuns: 2000 },
  );
});

test('in IPv6, nothing outside 2000::/3 is public except mapped public IPv4', () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const address = groups.map((one) => one.toString(16)).join(':');
      const [first = 0] = groups;
      if (first >> 13 !== 1 && !(first === 0x64 || first === 0)) expect(isPublicAddress(address)).toBe(false);
    }),
  );
});

test.each([
  ['localhost', true],
  ['a.localhost', true],
  ['metadata.google.internal', true],
  ['printer.local', true],
  ['router.home.arpa', true],
  ['example.com', false],
  ['localhost.example.com', false],
  ['mylocal', false],
  ['notinternal', false],
])('%s is a local name: %s', (name, expected) =>
  expect(whyPrivate(name)?.startsWith('a name of') === true).toBe(expected),
);
