import { expect, test } from 'vitest';
import { hostVerdict } from '../../../src/cli/permissions/permissions.ts';
import type { SourcedRule } from '../../../src/permissions/rules/rules.ts';

/** `allow x.example`, `managed ask x.example`, `deny WebFetch(*)`. */
function rule(text: string): SourcedRule {
  const [behavior = 'allow', domain = ''] = text.replace('managed ', '').split(' ');
  return {
    behavior: behavior as SourcedRule['behavior'],
    text: domain.startsWith('WebFetch') ? domain : `WebFetch(domain:${domain})`,
    source: 'test',
    base: '/',
    ...(text.startsWith('managed ') && { managed: true as const }),
  };
}

const verdict = (host: string, rules: readonly string[], more: object = {}) =>
  hostVerdict(host, { allowedDomains: [], deniedDomains: [], isWholeList: false, ...more }, rules.map(rule));

test.each([
  ['a.example', [], {}, 'ask'],
  ['a.example', ['allow a.example'], {}, 'allow'],
  ['a.example', [], { allowedDomains: ['a.example'] }, 'allow'],
  ['b.a.example', ['allow *.a.example'], {}, 'allow'],
  ['a.example', ['allow a.example', 'ask a.example'], {}, 'ask'],
  ['a.example', ['allow a.example', 'deny a.example'], {}, 'deny'],
  ['a.example', ['allow a.example'], { deniedDomains: ['a.example'] }, 'deny'],
  ['2001:db8::1', ['allow *'], { deniedDomains: ['[2001:DB8:0::1]'] }, 'deny'],
  ['2001:db8::1', ['allow [2001:db8::1]'], {}, 'allow'],
  ['192.0.2.1', ['allow *'], { deniedDomains: ['192.0.2.0x1'] }, 'deny'],
  ['a.example', ['deny WebFetch'], { allowedDomains: ['a.example'] }, 'deny'],
  ['a.example', ['deny WebFetch(*)', 'allow a.example'], {}, 'deny'],
  ['a.example', ['deny WebFetch(Domain:A.example.)', 'allow a.example'], {}, 'deny'],
  ['::1', ['deny [::1]', 'allow *'], {}, 'deny'],
  ['a.example', ['ask WebFetch'], { allowedDomains: ['a.example'] }, 'ask'],
  ['a.example', ['managed ask WebFetch'], {}, 'always ask'],
  // Reading pages is not sending.
  ['a.example', ['allow WebFetch'], {}, 'ask'],
] as const)('%s with %j and %j: %s', (host, rules, settings, expected) => {
  expect(verdict(host, rules, settings)).toBe(expected);
});

test('the case of a rule’s domain makes no difference', () => {
  const rules = [rule('allow *.example'), { ...rule('deny x'), text: 'WebFetch(DOMAIN:A.example)' }];
  const settings = { allowedDomains: [], deniedDomains: [], isWholeList: false };
  expect(hostVerdict('a.example', settings, rules)).toBe('deny');
  expect(hostVerdict('b.example', settings, rules)).toBe('allow');
});

test('neither rules nor approvals open a host that is not on the managed list', () => {
  const managed = { allowedDomains: ['ok.example'], isWholeList: true };
  expect(verdict('a.example', [], managed)).toBe('deny');
  expect(verdict('a.example', ['allow a.example'], managed)).toBe('deny');
  expect(verdict('a.example', ['allow *'], managed)).toBe('deny');
  expect(verdict('ok.example', [], managed)).toBe('allow');
  expect(verdict('b.example', ['managed allow b.example'], managed)).toBe('allow');
  expect(verdict('ok.example', ['deny ok.example'], managed)).toBe('deny');
  expect(verdict('ok.example', ['ask ok.example'], managed)).toBe('ask');
  expect(verdict('ok.example', [], { allowedDomains: [], isWholeList: true })).toBe('deny');
});

test('a managed rule that asks about a host asks in every mode', () => {
  expect(verdict('a.example', ['managed ask a.example', 'allow a.example'])).toBe('always ask');
});
