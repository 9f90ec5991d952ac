import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { parseRule } from '../../src/permissions/rules/rules.ts';
import { coversDomain } from '../../src/permissions/webDecision.ts';
import {
  type PermissionDecision,
  type PermissionMode,
  permissionModes,
} from '../../src/protocol/permissions.ts';
import { policyFor, root } from './harness.ts';

async function fetching(
  domain: string,
  rules: readonly string[] = [],
  mode: PermissionMode = 'default',
): Promise<PermissionDecision> {
  const access = { type: 'web', url: `https://${domain}/page`, domain } as const;
  return decide({ tool: 'WebFetch', access }, await policyFor(rules, mode));
}

describe('without a rule', () => {
  test.each([
    ['default', 'ask'],
    ['acceptEdits', 'ask'],
    ['plan', 'ask'],
    ['bypassPermissions', 'allow'],
  ] as const)('mode %s: %s', async (mode, behavior) =>
    expect((await fetching('example.com', [], mode)).behavior).toBe(behavior),
  );

  test('"always" saves the domain to the local settings, and the next call needs no approval', async () => {
    const { suggestion, reason } = await fetching('example.com');
    expect(reason).toBe('Sends a request to example.com.');
    expect(suggestion).toEqual({
      rules: ['WebFetch(domain:example.com)'],
      destination: 'local',
      file: join(root, '.clawdcode.local.json'),
      label: "Yes, and don't ask again for example.com",
      detail:
        'WebFetch(domain:example.com), for pages and connections of commands · saved to .clawdcode.local.json',
    });
    for (const domain of ['example.com', '127.0.0.1', '[::1]', 'xn--bcher-kva.example', 'a_b.example']) {
      const [saved = ''] = (await fetching(domain)).suggestion?.rules ?? [];
      expect(parseRule(saved)).toEqual({ tool: 'WebFetch', spec: `domain:${domain}` });
      expect((await fetching(domain, [`allow ${saved}`])).behavior).toBe('allow');
    }
  });
});

describe('rules', () => {
  test.each([
    [['allow WebFetch(domain:example.com)'], 'example.com', 'allow'],
    [['allow WebFetch(domain:EXAMPLE.com.)'], 'example.com', 'allow'],
    [['allow WebFetch(domain:bücher.example)'], 'xn--bcher-kva.example', 'allow'],
    [['allow WebFetch(domain:example.com)'], 'www.example.com', 'ask'],
    [['allow WebFetch(domain:example.com)'], 'example.com.evil.example', 'ask'],
    [['allow WebFetch(domain:example.com)'], 'notexample.com', 'ask'],
    [['allow WebFetch(domain:*.example.com)'], 'a.b.example.com', 'allow'],
    [['allow WebFetch(domain:*.example.com)'], 'example.com', 'ask'],
    [['allow WebFetch(domain:*.example.com)'], 'notexample.com', 'ask'],
    [['allow WebFetch(domain:*)'], 'example.com', 'allow'],
    [['allow WebFetch(*)'], 'example.com', 'allow'],
    [['allow WebFetch'], 'example.com', 'allow'],
    [['allow Bash', 'allow Read', 'allow WebSearch'], 'example.com', 'ask'],
    [['allow WebFetch', 'ask WebFetch(domain:example.com)'], 'example.com', 'ask'],
    [['allow WebFetch', 'ask WebFetch(domain:example.com)'], 'example.org', 'allow'],
    [['allow WebFetch(domain:example.com)', 'deny WebFetch'], 'example.com', 'deny'],
    [['deny WebFetch(domain:*.example.com)', 'ask WebFetch'], 'a.example.com', 'deny'],
    [['deny WebFetch(domain:example.com)'], 'example.com.', 'deny'],
    [['deny WebFetch(domain:example.com)'], 'EXAMPLE.COM', 'deny'],
    [['deny WebFetch(domain:[::1])'], '[::1]', 'deny'],
  ] as const)('%j for %s: %s', async (rules, domain, behavior) =>
    expect((await fetching(domain, rules)).behavior).toBe(behavior),
  );

  test('allow and deny rules for a domain apply in every mode', async () => {
    const allowed = ['allow WebFetch(domain:example.com)'];
    const denied = ['deny WebFetch(domain:example.com)'];
    for (const mode of permissionModes) {
      expect((await fetching('example.com', allowed, mode)).behavior).toBe('allow');
      expect((await fetching('example.com', denied, mode)).behavior).toBe('deny');
    }
  });

  test('no rule is suggested for a domain that an ask rule names', async () => {
    const decision = await fetching('example.com', ['ask WebFetch(domain:example.com)']);
    expect(decision).toMatchObject({ behavior: 'ask', rule: { text: 'WebFetch(domain:example.com)' } });
    expect(decision.suggestion).toBeUndefined();
  });

  test.each([
    'WebFetch(example.com)',
    'WebFetch(domain:https://example.com)',
    'WebFetch(domain:example.com/docs)',
    'WebFetch(domain:example.com:8080)',
    'WebFetch(domain:user@example.com)',
    'WebFetch(domain:exam*le.com)',
    'WebFetch(domain:*example.com)',
    'WebFetch(domain:**)',
    'WebFetch(domain:)',
    'WebFetch(domain: )',
  ])('reports the mistake in %s', (text) => {
    const parsed = parseRule(text);
    expect('error' in parsed && parsed.error).toMatch(/WebFetch\(domain:example\.com\)/);
  });
});

test('a pattern covers only whole labels of a host', () => {
  const label = fc.stringMatching(/^[a-z]{1,6}$/);
  const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
  fc.assert(
    fc.property(name, name, (base, other) => {
      expect(coversDomain(base, base)).toBe(true);
      expect(coversDomain(`*.${base}`, `${other}.${base}`)).toBe(true);
      expect(coversDomain(`*.${base}`, base)).toBe(false);
      expect(coversDomain(`*.${base}`, `x${base}`)).toBe(false);
      expect(coversDomain(base, `${other}.${base}`)).toBe(false);
      expect(coversDomain(base, `${base}.${other}`)).toBe(false);
    }),
  );
});
