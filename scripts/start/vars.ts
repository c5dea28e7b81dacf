import type { Credentials } from './api.ts'
import type { Options } from './options.ts'
import type { State } from './state.ts'

type More = { env: NodeJS.ProcessEnv; mirror?: string; admin?: Credentials }

/** The settings of the Worker; what is not named here comes from wrangler.toml. */
export function varsOf({ url }: Options, state: State, { env, mirror, admin }: More) {
  return {
    APP_URL: url,
    APP_SECRET: state.secret,
    METER: env.METER,
    NVD_API_KEY: env.NVD_API_KEY,
    SMTP_URL: env.SMTP_URL,
    ...(mirror && {
      NVD_FEED_URL: `${mirror}/nvd/feeds`,
      NVD_API_URL: `${mirror}/nvd/rest/json/cves/2.0`,
      NVD_PAUSE_SECONDS: '0',
      KEV_URL: `${mirror}/kev.json`,
      EPSS_URL: `${mirror}/epss/epss_scores-current.csv.gz`,
    }),
    ...(admin && {
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
      ADMIN_EMAIL: env.ADMIN_EMAIL,
    }),
  }
}
