import type { Page } from '@playwright/test'
import axe from 'axe-core'

/** The rules of accessibility that the page breaks, and where. */
export async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>(
    'axe.run({ resultTypes: ["violations"] })',
  )
  return violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
