import type { Env } from '../env'

// S2, section 1: the version of an installation that sets none.
const unnamed = '1.0.0-RC1'

export const appVersion = ({ APP_VERSION = unnamed }: Pick<Env, 'APP_VERSION'>) => APP_VERSION
