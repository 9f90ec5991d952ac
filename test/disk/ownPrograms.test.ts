import { expect, test } from 'vitest';
import { ownGitEnvironment, pathOutside } from '../../src/disk/ownPrograms.ts';

/** `/link` leads to `/srv`. */
const realpath = (path: string): string => path.replace(/^\/link(?=\/|$)/, '/srv');

test.each([
  ['/usr/bin:/bin', '/usr/bin:/bin'],
  ['/srv/app/node_modules/.bin:/usr/bin', '/usr/bin'],
  ['/srv/app/src/tools:/usr/bin', '/usr/bin'],
  // As npx and npm run order them: the folder's own and those around it first.
  ['/srv/node_modules/.bin:/node_modules/.bin:/usr/bin', '/usr/bin'],
  ['.:bin::../x:/usr/bin', '/usr/bin'],
  // Through a link, and in another spelling.
  ['/link/app/src/bin:/link/app/node_modules/.bin:/usr/bin', '/usr/bin'],
  ['/usr/../srv/app/src/bin:/srv//app/src/bin:/srv/app/src/./bin:/usr/bin', '/usr/bin'],
  ['/link/bin:/usr/bin', '/link/bin:/usr/bin'],
  // A folder next to the project is not in it.
  ['/srv/app-tools/bin:/srv/bin', '/srv/app-tools/bin:/srv/bin'],
])('of %s programs are looked up in %s', (path, expected) => {
  expect(pathOutside({ PATH: path, HOME: '/home/u' }, ['/srv/app/src'], realpath)).toBe(expected);
});

test.each(['/', '/home', '/home/u'])('in %s the user’s own programs are found', (directory) => {
  const PATH = '/home/u/.local/bin:/usr/bin';
  expect(pathOutside({ PATH, HOME: '/home/u' }, [directory], realpath)).toBe(PATH);
});

test('no program in an added directory is found, either', () => {
  const PATH = '/home/u/lib/bin:/srv/app/bin:/usr/bin';
  const workspace = ['/srv/app', '/home/u/lib'];
  expect(pathOutside({ PATH, HOME: '/home/u' }, workspace, realpath)).toBe('/usr/bin');
});

test('nothing in the user’s environment redirects git or lets it fetch', () => {
  const env = ownGitEnvironment(
    { HOME: '/home/u', GIT_DIR: '/x', GIT_CONFIG_COUNT: '1', PATH: '/usr/bin' },
    ['/srv'],
    realpath,
  );
  expect(env).toMatchObject({
    HOME: '/home/u',
    PATH: '/usr/bin',
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
  });
  expect(env).not.toHaveProperty('GIT_DIR');
  expect(env).not.toHaveProperty('GIT_CONFIG_COUNT');
});
