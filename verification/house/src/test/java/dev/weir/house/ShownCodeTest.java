package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ShownCode}, and that pages have no other Java: a copy that no test compares would grow old. */
@Tag("house")
class ShownCodeTest {
    private static final Path ROOT = Sources.module("");
    private static final Pattern INCLUDED = Pattern.compile("(?m)^ *(?:<<< .*|<!-- *@include.*)$");

    @TempDir
    Path root;

    @BeforeEach
    void someCode() throws Exception {
        Files.createDirectories(root.resolve("src"));
        Files.writeString(root.resolve("src/Some.java"), """
                class Some {
                    // #region inner
                    int first;

                        // #region deep
                        int $second;
                    // #endregion inner
                }
                """);
    }

    @Test
    void pagesShowCodeAsItIs() throws Exception {
        int blocks = 0;
        for (Path page : ShownCode.pages(ROOT)) {
            String text = Sources.text(page);
            assertEquals(ShownCode.current(ROOT, text), text, () -> page + ": ShownCode says how to write it again");
            blocks += (int) ShownCode.BLOCK.matcher(text).results().count();
        }
        assertTrue(blocks >= 32, blocks + " blocks");
    }

    /** The README is held by a test of the samples. What only the site includes is invisible where repositories are read. */
    @Test
    void pagesHaveNoOtherJavaAndIncludeNothing() throws Exception {
        Set<String> found = new TreeSet<>();
        for (Path page : ShownCode.pages(ROOT)) {
            String text = Sources.text(page);
            if (!page.endsWith("README.md")
                    && ShownCode.BLOCK.matcher(text).replaceAll("").contains("```java")) {
                found.add(page + ": Java without the comment that names its source");
            }
            for (Matcher line = INCLUDED.matcher(text); line.find(); ) {
                found.add(page + ": " + line.group());
            }
        }
        assertEquals(Set.of(), found);
    }

    @Test
    void aBlockIsWrittenAgainAndAMissingOneIsAdded() throws Exception {
        String region = "<!-- src/Some.java#inner -->\n```java\nint first;\n\n    int $second;\n```\n";
        assertEquals(
                "a\n\n" + region + "\nb\n" + region + "c\n",
                ShownCode.current(
                        root, "a\n\n<!-- src/Some.java#inner -->\n\nb\n" + region.replace("first", "old") + "c\n"));
    }

    @Test
    void aFileIsShownWithoutItsMarks() throws Exception {
        assertEquals(
                "<!-- src/Some.java -->\n```java\nclass Some {\n    int first;\n\n        int $second;\n}\n```\n",
                ShownCode.current(root, "<!-- src/Some.java -->\n"));
    }

    @Test
    void whatIsNotThereIsNamed() {
        for (String source : new String[] {"src/Other.java", "src/Some.java#in", "src/Some.java#deep"}) {
            NoSuchFileException missing =
                    assertThrows(NoSuchFileException.class, () -> ShownCode.current(root, "<!-- " + source + " -->\n"));
            assertTrue(missing.getMessage().contains(source.replaceAll("#.*", "")), missing::getMessage);
        }
    }
}
