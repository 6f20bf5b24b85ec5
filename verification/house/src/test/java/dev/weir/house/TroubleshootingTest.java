package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Rejection.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * docs/guides/troubleshooting.md: the messages before the colons of its lists are those of the sources, {@code ...} standing for
 * what varies. None is missing of these: each reason of a rejection, each exception for a bad moment, each warning in a log, and all
 * messages of {@link #WHOLE}. Messages about a wrong argument or field name it and its rule, so only common ones are on the page.
 */
@Tag("house")
class TroubleshootingTest {
    private static final Pattern ROW = Pattern.compile("(?m)^[|-] ((?:`[^`\n]+`(?:, )?)+)(?: [|]|:)");
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*(?:/\\*|\\*|//).*$");
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern LITERAL = Pattern.compile("(?s)\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\\\n]++|\\\\.)*+)\"");
    private static final Pattern TOLD =
            Pattern.compile("new IllegalStateException\\(|[.]log\\((?=[^;]*\\bWARNING\\b)|List[.]of\\(problem\\(");

    /** Classes of which operators meet each message. */
    private static final Set<String> WHOLE = Set.of(
            "Caps",
            "ConfigLog",
            "DocumentOrder",
            "Follower",
            "NameTable",
            "OverrideWriter",
            "Reconfigurer",
            "RedisWarnings");

    /** Of faults in Weir or in the platform, and of messages that only carry those of others. */
    private static final Set<String> NOT_MET = Set.of(
            "SHA-256 must be available",
            "every Java platform has SHA-256",
            " must be as many as of its strategy, were ",
            "settings must be those of a document",
            "a script answered ",
            "already started");

    /** One source: what it says, in its order. */
    private record Source(String name, String code, List<String> literals) {
        static Source of(Path file) throws IOException {
            String code = JOINED.matcher(COMMENT.matcher(Sources.text(file)).replaceAll(""))
                    .replaceAll("");
            return new Source(Sources.name(file), code, literalsOf(code));
        }

        boolean says(String sentence) {
            return pieces(sentence)
                    .allMatch(piece -> literals.stream().anyMatch(each -> each.contains(piece) || begins(each, piece)));
        }

        /* A sentence of several literals: the end of one, others, the beginning of the last. */
        private boolean begins(String literal, String piece) {
            for (int length = Math.min(literal.length(), piece.length() - 1); length >= 4; length--) {
                if (literal.endsWith(piece.substring(0, length)) && goesOn(piece.substring(length))) {
                    return true;
                }
            }
            return false;
        }

        private boolean goesOn(String rest) {
            String next = rest.stripLeading();
            return literals.stream()
                    .map(String::stripLeading)
                    .anyMatch(each -> each.startsWith(next)
                            || (each.length() >= 4 && next.startsWith(each) && goesOn(next.substring(each.length()))));
        }

        /** What an operator may read. */
        List<String> told() {
            List<String> told = new ArrayList<>();
            if (WHOLE.contains(name)) {
                literals.stream()
                        .filter(each -> each.strip().split(" ").length >= 5)
                        .forEach(told::add);
            }
            for (Matcher call = TOLD.matcher(code); call.find(); ) {
                literalsOf(arguments(call.end())).stream()
                        .max((one, other) -> Integer.compare(one.length(), other.length()))
                        .ifPresent(told::add);
            }
            return told;
        }

        private String arguments(int from) {
            int depth = 1;
            int at = from;
            for (; depth > 0; at++) {
                depth += code.charAt(at) == '(' ? 1 : code.charAt(at) == ')' ? -1 : 0;
            }
            return code.substring(from, at);
        }
    }

    private static List<String> literalsOf(String code) {
        return LITERAL.matcher(code)
                .results()
                .map((MatchResult found) -> (found.group(1) == null ? found.group(2) : found.group(1))
                        .replace("\\\"", "\"")
                        .replace("\\n", "\n"))
                .filter(literal -> !literal.isBlank())
                .toList();
    }

    private static Stream<String> pieces(String sentence) {
        return Arrays.stream(sentence.split("[.][.][.]")).map(String::strip).filter(piece -> piece.length() >= 4);
    }

    private static List<Source> sources() throws IOException {
        List<Source> sources = new ArrayList<>();
        for (Products module : Products.values()) {
            if (module != Products.TESTKIT) {
                for (Path file : module.sources()) {
                    sources.add(Source.of(file));
                }
            }
        }
        return sources;
    }

    /** In the first column of its table, and before the colons of its lists. */
    private static List<String> explained() throws IOException {
        return ROW.matcher(Sources.document("guides/troubleshooting.md"))
                .results()
                .flatMap(row -> CODE.matcher(row.group(1)).results())
                .map(code -> code.group(1))
                .toList();
    }

    @Test
    void explainsEachReason() throws IOException {
        Set<String> missing = new TreeSet<>();
        Arrays.stream(Reason.values()).forEach(reason -> missing.add(reason.name()));
        missing.removeAll(explained());
        assertEquals(Set.of(), missing);
    }

    @Test
    void quotesWhatTheCodeSays() throws IOException {
        List<Source> sources = sources();
        List<String> unsaid = explained().stream()
                .filter(sentence -> sentence.contains(" "))
                .filter(sentence -> sources.stream().noneMatch(source -> source.says(sentence)))
                .toList();
        assertTrue(explained().size() > 60, () -> "only " + unsaid);
        assertEquals(List.of(), unsaid);
    }

    @Test
    void explainsWhatOperatorsMeet() throws IOException {
        List<String> quoted = explained().stream()
                .flatMap(TroubleshootingTest::pieces)
                .filter(piece -> piece.length() >= 8)
                .toList();
        Set<String> missing = new TreeSet<>();
        int told = 0;
        for (Source source : sources()) {
            for (String message : source.told()) {
                told++;
                String text = message.strip();
                if (!NOT_MET.contains(message)
                        && quoted.stream().noneMatch(piece -> text.contains(piece) || piece.contains(text))) {
                    missing.add(source.name() + ": " + message);
                }
            }
        }
        assertTrue(told > 60, "only " + told);
        assertEquals(Set.of(), missing, () -> String.join("\n", missing));
    }

    /** A test that could not fail would hold nothing. */
    @Test
    void findsASentenceThatIsNotSaid() throws IOException {
        for (Source source : sources()) {
            assertTrue(!source.says("name must be two of ..., was ..."), source.name());
            assertTrue(!source.says("the first document has been read in ... s"), source.name());
        }
    }
}
