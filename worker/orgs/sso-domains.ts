import { domainOf } from '../auth/sso-provider'
import { invalid } from '../http/errors'

/** Where everybody may have an address: such a domain is no organization's own. */
const publicMail = new Set(
  `aol.com fastmail.com free.fr gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hotmail.com icloud.com laposte.net
  live.com mac.com mail.com mail.ru me.com msn.com naver.com orange.fr outlook.com pm.me posteo.de proton.me protonmail.com qq.com
  t-online.de tutanota.com wanadoo.fr web.de yahoo.com yandex.com yandex.ru zoho.com 163.com 126.com`.split(/\s+/),
)

type Claim = { email: string; is_admin: boolean; stored: string[] }

/**
 * Whose provider serves a domain makes the accounts of all its addresses. So an admin names the domain of his own
 * address, which a mail has proved; other ones are set by a global admin, and then stay.
 */
export function requireOwnDomains(domains: string[], { email, is_admin, stored }: Claim) {
  if (is_admin) return
  for (const [at, domain] of domains.entries()) {
    const path = ['email_domains', at]
    if (stored.includes(domain)) continue
    if (publicMail.has(domain)) throw invalid([{ path, message: `${domain} is a public mail service` }])
    if (domain !== domainOf(email))
      throw invalid([{ path, message: `${domain} is not the domain of your own address: ask us to set it` }])
  }
}
