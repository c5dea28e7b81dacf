import { Button, Group, Title } from '@mantine/core'
import type { ProductDetail } from '../../../worker/kb/contract'
import { VulnQuery, versionWindow } from '../../../worker/vulns/contract'
import { useFilters } from '../../lib/filters'
import { formatCount } from '../../lib/format'
import classes from '../kb.module.css'
import { KnownVersions } from '../known-versions'
import { ScopedVulns } from '../scoped-vulns'
import { SupportList } from '../support'

export function ProductVulns({ id, product }: { id: number; product: ProductDetail | undefined }) {
  const [{ product_version, version_window = 1 }, setFilters] = useFilters(VulnQuery, { limit: 10 })
  const version = product_version || undefined
  return (
    <>
      {product && (
        <KnownVersions
          versions={product.versions}
          chosen={version}
          onChoose={(chosen) => setFilters({ product_version: chosen, version_window: undefined })}
        />
      )}
      {product && <SupportList lifecycles={product.lifecycles} version={version} />}
      <Title order={2}>{version === undefined ? 'Vulnerabilities' : `Vulnerabilities that affect ${version}`}</Title>
      {product && version !== undefined && (
        <Windows
          count={product.vulns_count}
          window={version_window}
          onChange={(chosen) => setFilters({ version_window: chosen })}
        />
      )}
      <ScopedVulns scope={{ product: id, product_version: version }} />
    </>
  )
}

type WindowsProps = { count: number; window: number; onChange: (window: number) => void }

/** The worker evaluates a version against a window of vulnerabilities; a product with more of them has several windows. */
function Windows({ count, window, onChange }: WindowsProps) {
  const last = Math.ceil(count / versionWindow)
  if (last < 2) return null
  const from = (window - 1) * versionWindow + 1
  const to = Math.min(window * versionWindow, count)
  return (
    <Group role="group" aria-label="Which vulnerabilities were checked">
      <p className={classes.note}>
        Checked: vulnerabilities {formatCount(from)} to {formatCount(to)} of {formatCount(count)}, newest first.
      </p>
      <Button size="compact-sm" disabled={window <= 1} onClick={() => onChange(window - 1)}>
        Newer
      </Button>
      <Button size="compact-sm" disabled={window >= last} onClick={() => onChange(window + 1)}>
        Older
      </Button>
    </Group>
  )
}
