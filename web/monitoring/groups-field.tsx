import { TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { groupsQuery } from '../watchlist/api'
import { FailedLine } from '../ui/failed-line'

type Props = {
  description: string
  value: string[]
  onChange: (groups: string[]) => void
  error: string | undefined
}

/** The list of known groups opens by a click, an arrow key or a letter: with the dialog it would take its Escape key. */
export function GroupsField({ value, ...field }: Props) {
  const known = useQuery(groupsQuery)
  const [isAsked, setAsked] = useState(false)
  const [text, setText] = useState('')
  const isOffered = (group: string) => !value.includes(group) && group.toLowerCase().includes(text.trim().toLowerCase())
  return (
    <>
      <TagsInput
        label="Groups"
        data={known.data ?? []}
        value={value}
        splitChars={splitChars}
        searchValue={text}
        onSearchChange={(typed) => {
          setText(typed)
          if (typed) setAsked(true)
        }}
        openOnFocus={false}
        dropdownOpened={isAsked && (known.data ?? []).some(isOffered)}
        onDropdownOpen={() => setAsked(true)}
        onDropdownClose={() => setAsked(false)}
        onClick={() => setAsked(true)}
        // Opens upwards: below the field the choices would cover the buttons.
        comboboxProps={{ position: 'top-start' }}
        data-autofocus
        {...field}
      />
      <FailedLine text="Your groups could not be loaded." query={known} />
    </>
  )
}

export const splitChars = [',', ';', '\n']
