package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first sentence of the comment of a type or package says what it is, and an example in a comment is from a sample. */
@Tag("house")
class FirstSentencesTest {
    private static final Pattern COMMENT = Pattern.compile("/[*]{2}(.*?)[*]/", Pattern.DOTALL);
    private static final Pattern MARGIN = Pattern.compile("\\s*\n\\s*[*]?\\s*|^\\s+|\\s+$");

    /** What follows the comment of a type or package: annotations, modifiers and the keyword. */
    private static final Pattern TYPE = Pattern.compile("\\s*(?:@[\\w.]++(?:\\([^()]*(?:\\([^()]*\\)[^()]*)*\\))?\\s+"
            + "|(?:public|protected|private|static|abstract|final|sealed|non-sealed|strictfp)\\s+)*"
            + "(?:class|interface|record|enum|@interface|package)\\s+[\\w.]+");

    private static final Pattern QUESTION = Pattern.compile("(?:What|How|Whether|Who|The protocol of)\\b.*");
    private static final Pattern LINK_ALONE = Pattern.compile("(?:See )?\\{@link(?:plain)? [^}]*\\}[.].*");

    private static final Pattern EXAMPLE = Pattern.compile(
            "[Ff]rom the sample[\\s*]+\\{@code (\\w+)\\}[^{]*<pre>\\{@code(.*?)\\}</pre>", Pattern.DOTALL);

    private static final Pattern LINE_MARGIN = Pattern.compile("(?m)^\\s*[*] ?");

    @Test
    void saysWhatTheTypeIs() throws IOException {
        List<String> riddles = new ArrayList<>();
        int files = 0;
        int types = 0;
        for (Path module : Sources.modules()) {
            for (Path file : Sources.java(module, List.of("main"))) {
                List<String> comments = commentsOfTypes(Sources.text(file));
                files++;
                types += comments.size();
                comments.stream()
                        .filter(FirstSentencesTest::isRiddle)
                        .forEach(comment -> riddles.add(
                                file.getFileName() + ": " + comment.substring(0, Math.min(80, comment.length()))));
            }
        }
        int found = types;
        assertTrue(files > 700 && found > files, () -> found + " comments of types");
        assertEquals(List.of(), riddles, () -> String.join("\n", riddles));
    }

    @Test
    void findsRiddles() {
        List<String> comments = commentsOfTypes("""
                /** How one mode decides. */
                @SuppressWarnings({"a", "b"})
                public sealed interface Decider {
                    /** How many. */
                    int count();

                    /**
                     * {@link Other#one()}. Thread-safe.
                     */
                    private static final class One {}

                    /** However many there are. */
                    record Number(long n) {}
                }
                """);
        assertEquals(3, comments.size());
        assertEquals(
                List.of("How one mode decides.", "{@link Other#one()}. Thread-safe."),
                comments.stream().filter(FirstSentencesTest::isRiddle).toList());
    }

    @Test
    void anExampleIsFromItsSample() throws IOException {
        int examples = 0;
        for (Products module : Products.values()) {
            for (Path file : module.sources()) {
                for (Matcher comment = COMMENT.matcher(Sources.text(file)); comment.find(); ) {
                    Matcher example = EXAMPLE.matcher(comment.group(1));
                    while (example.find()) {
                        assertIsFrom(example.group(1), example.group(2), file);
                        examples++;
                    }
                }
            }
        }
        assertTrue(examples >= 3, "examples: " + examples);
    }

    private static void assertIsFrom(String sample, String example, Path file) throws IOException {
        String code = Sources.text(
                Sources.module("samples/src/main/java/dev/weir/samples").resolve(sample + ".java"));
        LINE_MARGIN
                .matcher(example)
                .replaceAll("")
                .lines()
                .map(String::strip)
                .forEach(line -> assertTrue(code.contains(line), () -> file + ", not in " + sample + ": " + line));
    }

    private static boolean isRiddle(String comment) {
        return QUESTION.matcher(comment).matches()
                || LINK_ALONE.matcher(comment).matches();
    }

    /** Each in one line. */
    private static List<String> commentsOfTypes(String source) {
        List<String> comments = new ArrayList<>();
        for (Matcher comment = COMMENT.matcher(source); comment.find(); ) {
            Matcher type = TYPE.matcher(source).region(comment.end(), source.length());
            if (type.lookingAt()) {
                comments.add(MARGIN.matcher(comment.group(1)).replaceAll(" ").strip());
            }
        }
        return comments;
    }
}
