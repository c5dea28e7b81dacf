import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { productLabel } from '../../../worker/domain/names/product'
import { unorderedTypes } from '../../../worker/domain/versions/orders/same-text'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { ApiError } from '../../lib/call'
import { Card } from '../../ui/card'
import { FailedLine } from '../../ui/failed-line'
import { HelpLink } from '../../ui/help-link'
import { testedQuery } from './api'
import type { Tested } from './api'
import { VersionVerdict } from './verdicts'
import classes from '../vuln-detail.module.css'

type Target = { value: string; label: string }

export function VersionTest({ vuln }: { vuln: VulnDetail }) {
  const targets = listTargets(vuln)
  const [target, setTarget] = useState(targets[0]?.value ?? '')
  const [version, setVersion] = useState('')
  const [tested, setTested] = useState<Tested | null>(null)
  const query = useQuery(testedQuery(vuln.id, tested))
  const { data, error, isFetching } = query
  if (targets.length === 0) return null
  return (
    <Card title="Test a version" aside={<HelpLink topic="versions" about="what a verdict means" />}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const [kind = '', id = ''] = target.split(' ')
          if (version.trim()) setTested({ version: version.trim(), [kind]: Number(id) })
        }}
      >
        <Group gap="xs" align="end">
          <NativeSelect
            size="xs"
            label="Of"
            data={targets}
            value={target}
            onChange={({ currentTarget }) => setTarget(currentTarget.value)}
            flex="1 1 12rem"
          />
          <TextInput
            size="xs"
            label="Version"
            placeholder="1.0.1f"
            value={version}
            maxLength={200}
            onChange={({ currentTarget }) => setVersion(currentTarget.value)}
            flex="1 1 8rem"
          />
          <Button size="xs" type="submit" loading={isFetching} disabled={!version.trim()}>
            Test
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {error && (
          <p className={classes.note}>
            {isRefused(error) ? error.message : <FailedLine text="The version could not be tested." query={query} />}
          </p>
        )}
        {data && tested && (
          <VersionVerdict version={tested.version} answer={data} unordered={findUnordered(vuln, tested)} />
        )}
      </div>
    </Card>
  )
}

/** The version itself is wrong; other errors may pass on the next try. */
const isRefused = (error: Error) => error instanceof ApiError && error.status < 500

function findUnordered({ affected_items }: VulnDetail, tested: Tested) {
  const item = affected_items.find(({ via, id }) => via === 'package' && id === tested.package)
  return unorderedTypes.get(item?.vendor ?? '')
}

/** In the order of the page: monitored items first. */
const listTargets = ({ affected_items }: VulnDetail): Target[] =>
  affected_items.map(({ via, id, vendor, name }) => ({
    value: `${via} ${id}`,
    label: via === 'product' ? productLabel(vendor, name) : `${vendor} · ${name}`,
  }))
