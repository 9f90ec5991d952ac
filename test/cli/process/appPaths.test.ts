import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NoPlaceError, readPlace } from '../../../src/cli/process/appPaths.ts';

afterEach(() => void vi.unstubAllEnvs());

describe('the folder of the user settings is never one of the project', () => {
  test.each(['', '.', '~', 'home/u'])('with HOME=%s', (home) => {
    vi.stubEnv('HOME', home);
    vi.stubEnv('CLAWDCODE_HOME', '');
    const own = userInfo().homedir;
    expect(readPlace()).toMatchObject({ home: own, systemHome: own, dataRoot: join(own, '.clawdcode') });
  });

  test.each(['.', '.clawdcode', '~/data'])('with CLAWDCODE_HOME=%s', (folder) => {
    vi.stubEnv('CLAWDCODE_HOME', folder);
    expect(readPlace).toThrow(NoPlaceError);
  });
});
