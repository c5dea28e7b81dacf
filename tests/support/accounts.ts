import type { Page } from '@playwright/test'
import { expect } from 'vitest'
import { expectPage } from './browser.ts'
import type { MailServer } from './mail-server.ts'
import type { Product } from './product.ts'
import { password } from './credentials.ts'

/** Waits for a mail with this subject and answers its link. */
export async function linkTo(mail: MailServer, address: string, subject: RegExp) {
  const find = () => mail.mails.findLast(({ to, subject: said }) => to.includes(address) && subject.test(said))
  await expect.poll(find, { timeout: 30_000, message: `a mail to ${address}: ${subject}` }).toBeDefined()
  const link = /https?:\/\/\S+/.exec(find()?.text ?? '')?.[0]
  if (!link) throw new Error(`The mail to ${address} has no link: ${find()?.text}`)
  return link
}

/** Creates an organization on trial and its admin through the API and its mail. */
export async function aTrial(
  product: Product,
  mail: MailServer,
  { username, org_name }: { username: string; org_name: string },
) {
  const email = `${username}@${org_name.toLowerCase()}.test`
  await post(product, '/api/public/trial', { email, org_name })
  const token = /[\w-]{43}/.exec(await linkTo(mail, email, /trial/))?.[0]
  const names = { first_name: 'Anna', last_name: '' }
  await post(product, `/api/public/trial/${token}`, { username, password, password_confirm: password, ...names })
  return { username, email, org_name, password }
}

async function post({ url }: Product, path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
}

export async function fillLogin(page: Page, username: string, secret = password) {
  // The address changes before the new form appears, and the old form may have fields of the same names.
  const submit = page.getByRole('button', { name: 'Sign in', exact: true })
  await expectPage(submit).toBeVisible()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await submit.click()
}

export async function fillRegistration(page: Page, username: string) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Password again', { exact: true }).fill(password)
  await page.getByLabel('First name').fill('Anna')
}

/** Reads the user from the top bar; a failure tells what the page shows instead. */
export const expectSignedIn = (page: Page, username: string, org_name: string) =>
  expectPage(page.getByRole('button', { name: `${username}@${org_name}` }))
    .toBeVisible()
    .catch(async (cause: unknown) => {
      throw new Error(`${page.url()} shows:\n${await page.locator('body').ariaSnapshot()}`, { cause })
    })

export async function pressSignOut(page: Page) {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expectPage(page).toHaveURL(/\/auth/)
}

/** An authenticator in the browser that holds passkeys; it answers only while it is `touched`. */
export async function aBrowserAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    touch: (enabled: boolean) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  }
}
