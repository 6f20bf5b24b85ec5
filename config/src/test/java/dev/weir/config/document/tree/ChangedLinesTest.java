package dev.weir.config.document.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A document of which only the lines that differ are parsed says what it says when all of it is parsed. */
class ChangedLinesTest {
    private static final int MANY = 100_000;
    private static final String SPECIAL = "{}[]:,.=-&*!|>'\"#%@`?\\\n\r\t 09aZ/";

    private static final List<String> DOCUMENTS = List.of("""
            # comment
            document: { version: 7 }
            limits:
              a: { concurrency: 1 }
              b: { rate: 10/s, key: [a, b] } # ten
            # between

              c:
                concurrency: 4
                queue:
                  capacity: 5
                # inside
                all-of:
                - { rate: 1/s }
                - rate: 2/s
              "d e": {}
              f: |
                text

              g: 'a
                 b'
              h: a
                b
              i:
              j: { concurrency: 9,
                   enforce: 1 }
              k: { concurrency: 10 }
            values: { x: 1, y: [a,
              b: c,
              d] }
            ...
            """, """
            limits: {
              a: { concurrency: 1 },
              b: x,
              c: y, d: { e: 1 },
              f: 5
            }
            """, """
            templates:
              t: &t { concurrency: 1 }
              u: { rate: 1/s }
            limits:
              a: *t
              b: { rate: 2/s }
              c: !!map { rate: 3/s }
              d: { rate: 4/s }
              e: "two
              f: lines"
              g: { rate: 5/s }
            """, """
            # \u00e4\ud83d\ude00 SEPARATOR and so on
            values:
                a: 1
                b:
                - x
                - y: 1
                c: "\u00e4"
                d: 2
            limits: {}
            """.replace("SEPARATOR", "\u2028\u0085"));

    private static List<String> lines(String text) {
        return List.of(text.split("\n", -1));
    }

    private static @Nullable Tree whole(String text) {
        try {
            Tree tree = YamlTree.read(text, new TreeBuilder(MANY));
            return new Tree(tree.root(), tree.isClosed(), lines(text));
        } catch (Unreadable | RuntimeException e) {
            return null;
        }
    }

    @Test
    void whatIsParsedInPartIsWhatIsParsedWhole() {
        Random random = new Random(21);
        int parts = 0;
        for (int i = 0; i < 30_000; i++) {
            String document = DOCUMENTS.get(i % DOCUMENTS.size());
            Tree before = whole(document);
            assertNotNull(before, document);
            StringBuilder changed = new StringBuilder(document);
            for (int change = random.nextInt(3); change >= 0; change--) {
                mutate(changed, random);
            }
            String text = changed.toString();
            Tree part = ChangedLines.tree(before, lines(text), MANY);
            if (part != null) {
                assertEquals(whole(text), part, text);
                parts++;
            }
        }
        assertTrue(parts > 1_500, "" + parts);
    }

    private static void mutate(StringBuilder text, Random random) {
        int at = random.nextInt(text.length());
        int end = Math.min(text.length(), at + random.nextInt(12));
        String piece = text.substring(at, end);
        String other = "" + SPECIAL.charAt(random.nextInt(SPECIAL.length()));
        switch (random.nextInt(4)) {
            case 0 -> text.replace(at, at + 1, other);
            case 1 -> text.insert(at, other);
            case 2 -> text.deleteCharAt(at);
            default -> text.insert(random.nextInt(text.length()), piece);
        }
    }

    private static @Nullable Tree changed(String from, String to) {
        String document = DOCUMENTS.get(0);
        assertTrue(document.contains(from));
        return ChangedLines.tree(whole(document), lines(document.replace(from, to)), MANY);
    }

    @Test
    void aChangedLimitIsParsedAlone() {
        assertNotNull(changed("concurrency: 1 }", "concurrency: 12, enforce: 0 }"));
        assertNotNull(changed("capacity: 5", "capacity: 6"));
        assertNotNull(changed("x: 1", "x: 1"));
    }

    @Test
    void whatMayBeMoreThanALimitIsParsedWhole() {
        assertNull(changed("# ten", "\n"));
        assertNull(changed("  b: {", "  bb: {"));
        assertNull(changed("concurrency: 1 }", "concurrency: 1"));
        assertNull(changed("  a: {", "a: {"));
        assertNull(changed("concurrency: 1 }", "concurrency: &c 1 }"));
        assertNull(changed("version: 7", "version: 8"));
        assertNull(changed("k: { concurrency: 10 }", "k: { concurrency: 11 }"));
        assertNull(ChangedLines.tree(null, lines("limits: {}"), MANY));
        String more = DOCUMENTS.get(0).replace("capacity: 5", "capacity: 6");
        assertNull(ChangedLines.tree(whole(DOCUMENTS.get(0)), lines(more), 40));
    }
}
