import type { Page } from '@playwright/test'
import { findViolations } from '../../support/axe.ts'

const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const

/** What is wrong with the page as it stands, in both looks. */
export async function findBroken(page: Page, where: string) {
  const broken: string[] = []
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await untilStill(page)
    const isWide = await fits(page).then(
      () => false,
      () => true,
    )
    const hasDialog = (await page.getByRole('dialog').count()) > 0
    // The header of a dialog is its own; axe takes it for a second one of the page.
    const rules = (await findViolations(page)).filter((rule) => !hasDialog || !rule.startsWith('landmark-'))
    broken.push(
      ...[...rules, ...(isWide ? ['wider than the window'] : [])].map((rule) => `${where} ${colorScheme}: ${rule}`),
    )
  }
  return broken
}

/** What floats finds its place anew when the window has changed. */
const fits = (page: Page) =>
  page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth, undefined, { timeout: 2_000 })

/** What still fades has colours that are not its own. */
const untilStill = (page: Page) =>
  page.evaluate(async () => {
    const passing = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    await Promise.allSettled(passing.map(({ finished }) => finished))
  })
