import { createTheme, type CSSVariablesResolver } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 8, dark: 7 },
  colors: {
    petrol: [
      '#eef6f8',
      '#dbe9ee',
      '#b8d3dc',
      '#92bcc9',
      '#72a8b9',
      '#5c99ac',
      '#4a8a9f',
      '#2f6c83',
      '#2a6276',
      '#1d4f61',
    ],
  },
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Anchor: { defaultProps: { underline: 'always', inherit: true } },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 8, tabularNums: true } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true }, multiline: true, maw: 320 } },
    // Not a `header`: the page has its own banner.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // Closed lists are not mounted: each would cost a layout of the whole page.
    Combobox: { defaultProps: { keepMounted: false } },
    Tabs: { defaultProps: { keepMounted: false } },
    // Mantine's grey for descriptions is too faint to read.
    Notification: { styles: { description: { color: 'var(--mantine-color-text)' } } },
    PasswordInput: {
      defaultProps: {
        maxLength: 256,
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: { 'aria-label': 'Show the password' },
      },
    },
    Button: { defaultProps: { variant: 'default' } },
    Group: { defaultProps: { gap: 'xs' } },
    Stack: { defaultProps: { gap: 'sm' } },
    Menu: { defaultProps: { position: 'bottom-end', withInitialFocusPlaceholder: false } },
  },
})

// The colours of S1 §9, each with the text colour that reads on it; unknown has an outline only, so that it never looks safe.
const bands = {
  '--band-darkred': '#86101b',
  '--band-darkred-text': '#ffffff',
  '--band-red': '#c92a2a',
  '--band-red-text': '#ffffff',
  '--band-orange': '#f2953f',
  '--band-orange-text': '#1f1300',
  '--band-yellow': '#fbd84b',
  '--band-yellow-text': '#1f1a00',
  '--band-blue': '#1f6fb8',
  '--band-blue-text': '#ffffff',
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: bands,
  light: {
    '--mantine-color-dimmed': '#565e66',
    '--mantine-color-placeholder': '#697078',
    '--mantine-color-error': '#b62121',
    '--surface': '#ffffff',
    '--surface-sunk': '#f4f6f7',
    '--line': '#dde2e5',
    '--line-strong': '#8b949c',
    '--alarm': '#b62121',
    '--warning': '#8a4b00',
    '--calm': '#1d4f61',
    '--warning-surface': '#fff4e0',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b0b7',
    '--mantine-color-placeholder': '#8f979f',
    '--mantine-color-error': '#ff8f8f',
    '--mantine-color-body': '#181b1e',
    '--surface': '#1f2327',
    '--surface-sunk': '#14171a',
    '--line': '#343a40',
    '--line-strong': '#78828b',
    '--alarm': '#ff8f8f',
    '--warning': '#ffb454',
    '--calm': '#92bcc9',
    '--warning-surface': '#33270f',
  },
})
