import type * as z from 'zod'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconAlertTriangle, IconArrowsSplit, IconHelp, IconShieldCheck } from '@tabler/icons-react'
import { itemName, productLabel } from '../../../worker/domain/names/product'
import { speakRange } from '../../../worker/domain/versions/range'
import type { testVersion } from '../../../worker/triage/contract'
import { unorderedTypes } from '../../../worker/domain/versions/orders/same-text'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { AppLink } from '../../ui/app-link'
import { Mark } from '../../ui/mark'
import { ProductLabel } from '../../ui/product-name'
import { SupportAdvice } from '../../ui/support-mark'
import { useSourceName } from './source-name'
import { ApiError } from '../../lib/call'
import { Card } from '../../ui/card'
import { FailedLine } from '../../ui/failed-line'
import { HelpLink } from '../../ui/help-link'
import { testedQuery, type Tested } from './api'
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
        <Group align="end">
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
          <Button variant="filled" size="xs" type="submit" loading={isFetching} disabled={!version.trim()}>
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

const alarm = { tone: 'alarm', icon: IconAlertTriangle } as const
const faces = {
  affected: { ...alarm, children: 'Affected' },
  confirmed: { ...alarm, children: 'Affected' },
  likely: { ...alarm, children: 'Likely affected' },
  unknown: { tone: 'quiet', icon: IconHelp, children: 'Unknown' },
  not_affected: { tone: 'calm', icon: IconShieldCheck, children: 'Not affected' },
} as const

const Until = ({ words, version }: { words: string; version: string | null }) =>
  version && (
    <>
      {` ${words} `}
      <b>{version}</b>.
    </>
  )

type Item = VulnDetail['runs'][number]

export const RunVersionList = ({ runs }: { runs: Item[] }) => (
  <ul className={classes.reasons} aria-label="Versions that you run">
    {runs.flatMap((item) =>
      item.versions.map((run) => (
        <li key={`${item.via} ${item.id} ${item.name} ${run.version}`}>
          <Mark {...faces[run.verdict]} /> <ItemName item={item} /> {run.version}
          <Statement run={run} />
          {run.support && <SupportAdvice {...run.support} />}
        </li>
      )),
    )}
  </ul>
)

function ItemName({ item: { via, id, name, vendor } }: { item: Item }) {
  if (via === 'package') return <AppLink to={`/packages/${id}`}>{itemName({ via, vendor, name })}</AppLink>
  if (via === 'product')
    return (
      <AppLink to={`/product/${id}`}>
        <ProductLabel vendor={vendor} name={name} />
      </AppLink>
    )
  return (
    <>
      <b>{name}</b> in{' '}
      <AppLink to={`/monitoring/inventories/${encodeURIComponent(vendor)}?tab=findings`}>{vendor}</AppLink>,
    </>
  )
}

function Statement({ run }: { run: Item['versions'][number] }) {
  const { source, verdict, statement, fixed_in, first_unlisted } = run
  const nameSource = useSourceName()
  const said = statement
    ? `says ${speakRange(statement)}`
    : verdict === 'unknown'
      ? 'names no version'
      : 'says all versions'
  return (
    <>
      : {source ? `${nameSource(source)} ${said}` : 'no source mentions this version'}.
      <Until words="Fixed in" version={fixed_in} />
      {!fixed_in && <Until words="First version not listed as affected:" version={first_unlisted} />}
    </>
  )
}

type Answer = z.output<(typeof testVersion)['reply']>

const confidences = { confirmed: 'confirmed', likely: 'likely', name_only: 'by name only: no version is given' }

function reasonOfUnknown({ range, by }: Answer, unordered?: string) {
  if (unordered)
    return `cannot tell, as ${unordered} packages have an order of versions that Earshot does not know: it judges only a version that a source names`
  return range === null && by.every((answer) => answer.range === null)
    ? 'no source says anything of it'
    : 'no source calls it affected or not affected in a way that can be compared with it'
}

type VerdictProps = {
  version: string
  answer: Answer
  /** Names packages whose versions nobody can put in order here. */
  unordered?: string | undefined
}

function VersionVerdict({ version, answer, unordered }: VerdictProps) {
  const nameSource = useSourceName()
  return (
    <>
      <p className={classes.verdict}>
        <Mark {...faces[answer.status]} />
        {answer.is_disputed && (
          <Mark tone="warning" icon={IconArrowsSplit}>
            Sources disagree
          </Mark>
        )}
        {version}: {answer.status === 'unknown' ? reasonOfUnknown(answer, unordered) : confidences[answer.confidence]}
        {answer.source && ` (${nameSource(answer.source)}${answer.range ? `: ${speakRange(answer.range)}` : ''})`}.
        {answer.reason && ` ${answer.reason}`}
        <Until words="Fixed in" version={answer.fixed_in} />
        <Until words="First version not listed as affected:" version={answer.first_unlisted} />
      </p>
      {answer.by.length > 1 && (
        <ul className={classes.reasons}>
          {answer.by.map(({ source, status, range, fixed_in, first_unlisted, reason }) => (
            <li key={source}>
              {nameSource(source)}: {faces[status].children.toLowerCase()}
              {range && ` (${speakRange(range)})`}
              {fixed_in && `, fixed in ${fixed_in}`}
              {first_unlisted && `, first not listed: ${first_unlisted}`}
              {reason && `. ${reason}`}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
