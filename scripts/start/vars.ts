import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { csafPaths } from '../mirror/csaf.ts'
import { attackPaths, cwePath } from '../mirror/single-files.ts'
import { osvEcosystems } from '../mirror/packages-osv.ts'
import type { AdminCredentials } from './api.ts'
import type { Options } from './options.ts'
import type { LocalState } from './state.ts'
import { StartFailure } from './failure.ts'
import { writePrivately } from './private-file.ts'

const fromEnvironment =
  'RATE_SCALE DNS_RESOLVER METER NVD_API_KEY GITHUB_TOKEN VULNCHECK_KEY SMTP_URL SUPPORT_EMAIL TERMS_URL PRIVACY_URL PLANS_URL LOCAL_CHANNELS HEARTBEAT_URL ALARM_EMAIL PROBE_TOKEN OUTGOING_HOSTS'.split(
    ' ',
  )

type More = { env: NodeJS.ProcessEnv; mirror?: string; admin?: AdminCredentials }

/** The settings of the Worker; the others come from wrangler.toml. */
export function toVars(options: Options, state: LocalState, { env, mirror, admin }: More) {
  return {
    APP_URL: options.url,
    APP_SECRET: state.secret,
    TRUST_PROXY: '0',
    ...Object.fromEntries(fromEnvironment.map((name) => [name, env[name]])),
    MAIL_FROM: env.MAIL_FROM || undefined,
    ...(mirror && options.feeds && mirroredVars(mirror, options.feeds)),
    ...(admin && {
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
      ADMIN_EMAIL: env.ADMIN_EMAIL,
    }),
  }
}

// Switches off feeds that the mirror has no folder for.
function mirroredVars(mirror: string, folder: string) {
  const at = (part: string, path: string) => (existsSync(join(folder, part)) ? `${mirror}${path}` : '')
  const atAll = (...paths: string[]) => paths.map((path) => path && `${mirror}${path}`).join(' ')
  return {
    OFFLINE: '1',
    FEEDS_ARE_COPIED: '1',
    NVD_URL: `${mirror}/nvd/feeds`,
    NVD_API_URL: `${mirror}/nvd/rest/json/cves/2.0`,
    NVD_PAUSE_SECONDS: '0',
    CVE_URL: at('cve5', '/cve/releases'),
    CVE_API_URL: at('cve5', '/cve/api/cve'),
    KEV_URL: at('cisa-kev', '/kev.json'),
    ENDOFLIFE_URL: at('endoflife', '/api/v1/products/full'),
    VEXHUB_URL: at('vexhub', '/vexhub'),
    EUKEV_URL: at('eukev', '/eukev.json'),
    EPSS_URL: at('epss', '/epss/epss_scores-current.csv.gz'),
    CWE_URL: atAll(cwePath(folder)),
    CAPEC_URL: at('capec', '/capec/2.1/stix-capec.json'),
    ATTACK_URL: atAll(...attackPaths(folder)),
    CSAF_URL: atAll(...csafPaths(folder)),
    OSV_URL: at('osv', '/osv'),
    OSV_ECOSYSTEMS: osvEcosystems(folder).join(','),
    MALICIOUS_URL: at('malicious', '/malicious'),
    MALICIOUS_ECOSYSTEMS: osvEcosystems(folder, 'malicious').join(','),
    GHSA_URL: at('ghsa', '/ghsa/advisories'),
    REDHAT_URL: at('redhat', '/redhat'),
    REDHAT_PAUSE_SECONDS: '0',
    OVERRIDES_URL: at('nvd-overrides', '/anchore/nvd-data-overrides/zip/refs/heads/main'),
    EXPLOITDB_URL: at('exploitdb', '/exploitdb/files_exploits.csv'),
    METASPLOIT_URL: at('metasploit', '/metasploit/modules_metadata_base.json'),
    POC_URL: at('poc-in-github', '/nomi-sec/PoC-in-GitHub/zip/refs/heads/master'),
    NUCLEI_URL: at('nuclei', '/nuclei/cves.json'),
  }
}

/** wrangler reads variables from this file, because every user of the machine can see its command line. */
export function writeEnvFile(path: string, vars: Record<string, string | undefined>) {
  const lines = Object.entries(vars).map(([name, value]) =>
    value === undefined ? '' : `${name}=${quote(name, value)}\n`,
  )
  writePrivately(path, lines.join(''))
}

// wrangler reads it with dotenv, which knows no escapes but "\$" and takes a backslash before a quote for part of the value.
function quote(name: string, value: string) {
  const text = value.replaceAll('$', String.raw`\$`)
  const mark = ["'", '`'].find((letter) => !value.includes(letter))
  if (mark && !value.endsWith('\\')) return mark + text + mark
  if (/^[^\s'"`#][^#\r\n]*$/.test(value) && value.trimEnd() === value) return text
  throw new StartFailure(`${name} has characters that cannot be passed on: avoid # and quotes`)
}
