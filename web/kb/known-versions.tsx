import { ActionIcon, Button, Group, TextInput, UnstyledButton } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { speakRange } from '../../worker/domain/versions/range'
import { plural } from '../lib/format'
import classes from './kb.module.css'

/** The newest versions come last in their order, and are shown first. */
const shownFirst = 24
const shownMore = 200

type Props = {
  versions: { id: number; version: string; branch?: string }[]
  chosen: string | undefined
  onChoose: (version: string | undefined) => void
}

/** The ranges of the sources tell whether they affect a version. */
export function KnownVersions({ versions, chosen, onChoose }: Props) {
  const [text, setText] = useState('')
  const [limit, setLimit] = useState(shownFirst)
  const search = text.trim().toLowerCase()
  const matching = versions.filter(({ version }) => version.toLowerCase().includes(search)).toReversed()
  const visible = matching.slice(0, limit)
  const isUnnamed = chosen !== undefined && !visible.some(({ version }) => version === chosen)
  const chips = isUnnamed ? [{ id: 0, version: chosen, branch: '' }, ...visible] : visible
  return (
    <>
      <VersionFilter text={text} chosen={chosen} onType={setText} onChoose={onChoose} />
      {chips.length === 0 && <p className={classes.note}>{emptyWords(versions.length)}</p>}
      <div role="group" aria-label="Known versions">
        {[...Map.groupBy(chips, ({ branch = '' }) => branch)].map(([branch, members]) => (
          <div key={branch} className={classes.branch}>
            {branch && <span className={classes.note}>{branch}</span>}
            <ul className={classes.versions} aria-label={branch ? `Versions ${branch}` : 'Versions'}>
              {members.map(({ id, version }) => (
                <li key={id}>
                  <UnstyledButton
                    className={classes.version}
                    aria-pressed={version === chosen}
                    onClick={() => onChoose(version === chosen ? undefined : version)}
                  >
                    {version.includes(' ') ? speakRange(version) : version}
                  </UnstyledButton>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {matching.length > visible.length && (
          <UnstyledButton className={classes.more} onClick={() => setLimit(limit + shownMore)}>
            {plural(matching.length - visible.length, 'more version')}
          </UnstyledButton>
        )}
      </div>
    </>
  )
}

type FilterProps = Pick<Props, 'chosen' | 'onChoose'> & { text: string; onType: (text: string) => void }

function VersionFilter({ text, chosen, onType, onChoose }: FilterProps) {
  return (
    <Group>
      <TextInput
        size="xs"
        type="search"
        aria-label="Version"
        placeholder="Any version, like 1.0.1f"
        leftSection={<IconSearch size={14} aria-hidden />}
        w={{ base: '100%', xs: 220 }}
        maxLength={200}
        value={text}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && text.trim() && onChoose(text.trim())}
      />
      <Button size="xs" disabled={!text.trim()} onClick={() => onChoose(text.trim())}>
        Filter by this version
      </Button>
      {chosen !== undefined && (
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Reset the version"
          title="Reset the version"
          onClick={() => onChoose(undefined)}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  )
}

const emptyWords = (known: number) =>
  known === 0 ? 'No source names a version. You can still check any version.' : 'No known version contains this text.'
