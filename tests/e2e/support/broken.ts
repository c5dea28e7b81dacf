import type { Page } from '@playwright/test'
import { findViolations } from '../../support/axe.ts'

const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const

/** Faults of the page as it stands, in both looks. */
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
    // axe takes the header of a dialog for a second banner of the page.
    const rules = (await findViolations(page)).filter((rule) => !hasDialog || !rule.startsWith('landmark-'))
    broken.push(
      ...[...rules, ...(isWide ? ['wider than the window'] : [])].map((rule) => `${where} ${colorScheme}: ${rule}`),
    )
  }
  return broken
}

/** Waits until floating elements have moved after a change of the window. */
const fits = (page: Page) =>
  page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth, undefined, { timeout: 2_000 })

/** Waits until nothing fades any more, as fading changes the colours; the next fading begins a frame or two later. */
const untilStill = (page: Page) =>
  page.evaluate(async () => {
    const findPassing = () =>
      document
        .getAnimations()
        .filter(({ playState, effect }) => playState === 'running' && effect?.getTiming().iterations !== Infinity)
    for (let still = 0; still < 3; still++) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const passing = findPassing()
      if (passing.length === 0) continue
      await Promise.allSettled(passing.map(({ finished }) => finished))
      still = -1
    }
  })
