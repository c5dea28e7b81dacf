/**
 * The upstream version of a distribution's build: `5.6.1-1` and `1:5.6.1+dfsg-3+deb12u1` are of 5.6.1, `1.1.1k-8.el8` of 1.1.1k, and
 * `5.6.1+really5.4.5-1` of 5.4.5. Null without epoch, revision or mark of a distribution. Source: Debian Policy, section 5.6.12;
 * Fedora, "Package Versioning".
 */
export function upstreamVersion(version: string): string | null {
  const text = version.trim()
  if (text.length > maxLength || date.test(text)) return null
  const really = /\+really(\d[\w.]*)/.exec(text)?.[1]
  if (really) return really
  const upstream = text
    .replace(/^\d{1,9}:(?=\d)/, '')
    .replace(/\.(?:el|fc|amzn|mga|oe)\d[\w.+~]*$/, '')
    .replace(/-\d[\w.+~]*$/, '')
    .replace(/[+~](?:dfsg|ds|repack|bpo|deb|ubuntu)[\w.+~]*$/, '')
  return upstream !== text && /^\d/.test(upstream) ? upstream : null
}

const maxLength = 100
const date = /^(?:19|20)\d\d-\d\d-\d\d/
