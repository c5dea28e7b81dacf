import '@mantine/core/styles/List.css'
import { List, Text } from '@mantine/core'
import type { PutAnswer } from '../../worker/inventories/contract'
import { likenessWords } from '../../worker/domain/names/look-alikes'
import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { Fact, Facts } from '../ui/facts'
import { inventoryPath } from './paths'

const shown = 10

export function ChangeCard({ change }: { change: PutAnswer }) {
  const { inventory, is_new, components, findings } = change
  const path = inventoryPath(inventory.name)
  return (
    <Card
      title={is_new ? `${inventory.name} is added` : `${inventory.name} is replaced`}
      aside={<AppLink to={path}>Open it</AppLink>}
    >
      <div role="status">
        <Facts>
          <Fact label="Components added">
            <AppLink to={`${path}?tab=components`}>{formatCount(components.added.count)}</AppLink>
          </Fact>
          <Fact label="Removed">{formatCount(components.removed.count)}</Fact>
          <Fact label="Not matched">
            <AppLink to={`${path}?tab=components&matched=false`}>{formatCount(components.unmatched.count)}</AppLink>
          </Fact>
          {inventory.pending_count > 0 && (
            <Fact label="Still to compare">
              <AppLink to={path}>{formatCount(inventory.pending_count)}</AppLink>
            </Fact>
          )}
          <Fact label={inventory.pending_count > 0 ? 'New findings so far' : 'New findings'}>
            <AppLink to={`${path}?tab=findings&sorted_by=-newest`}>{formatCount(findings.new.count)}</AppLink>
          </Fact>
          <Fact label="Findings gone">{formatCount(findings.gone.count)}</Fact>
        </Facts>
      </div>
      <AlikeList list={components.look_alikes} />
      <FindingList title="New" list={findings.new} />
      <FindingList title="Gone" list={findings.gone} />
    </Card>
  )
}

function AlikeList({ list }: { list: PutAnswer['components']['look_alikes'] }) {
  if (!list.count) return null
  return (
    <>
      <Text size="sm" fw={600} mt="sm">
        Names that look like one that you monitor
      </Text>
      <List size="sm">
        {list.first.slice(0, shown).map(({ name, version, of, likeness }) => (
          <List.Item key={`${name} ${version}`}>
            {name} {version} looks like {of}: {likenessWords[likeness]}
          </List.Item>
        ))}
      </List>
      {list.count > shown && <Text size="sm">and {formatCount(list.count - shown)} more</Text>}
      <Text size="sm">Attackers publish such names for whoever mistypes; most of them are innocent.</Text>
    </>
  )
}

function FindingList({ title, list }: { title: string; list: PutAnswer['findings']['new'] }) {
  if (!list.count) return null
  return (
    <>
      <Text size="sm" fw={600} mt="sm">
        {title}
      </Text>
      <List size="sm">
        {list.first.slice(0, shown).map(({ vuln_id, cveid, component, version, fixed_in }) => (
          <List.Item key={`${vuln_id} ${component} ${version}`}>
            <AppLink to={`/vulns/${vuln_id}`}>{cveid ?? `PH-${vuln_id}`}</AppLink> in {component} {version}
            {fixed_in && `, fixed in ${fixed_in}`}
          </List.Item>
        ))}
      </List>
      {list.count > shown && <Text size="sm">and {formatCount(list.count - shown)} more</Text>}
    </>
  )
}
