import { expect, test } from 'vitest';
import { routeOf } from '../../../src/cli/route.ts';

test.each([
  [['session', '--no-color'], { type: 'session', argv: [] }],
  [['session', 'list', '--no-color', '--json'], { type: 'session', argv: ['list', '--json'] }],
  [['doctor', '--no-color'], { type: 'doctor', argv: [] }],
  [['--no-color', 'hello'], { type: 'other' }],
])('--no-color works with a subcommand: %j', (argv, route) => {
  expect(routeOf(argv)).toEqual(route);
});
