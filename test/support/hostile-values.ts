/** What would end a text, a comment or a tag, run a command, or be read as something else: names, paths. */
export const hostileValues = [
  ...`" ' \` \\ \\" \\' \\\\ \${process.exit(1)} \`id\` $(id) $x {$x} #{exit(1)} #$0 #@x %s %00 %0a % %zz`.split(
    ' ',
  ),
  ...`{{x}} {x} */ /* // <!-- --> </script> <b> "><img> 'onerror='x &quot; &#34; ?> <?= """ ''' =1+1 ~ # ? é`.split(
    ' ',
  ),
  ...['"; exit(1); "', '") + system("id") + ("', ' ', '\n', '\r\n', '\t', '\0', '\u007f'],
  ...['\u2028', '\u2029', '\u202e', '\ufeff', '\ud800', '\u{1f600}'],
];
