package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What comments of the testkit quote from the page of changes is what the page says. */
class QuotedPageTest {
    private static final Path PAGE = Path.of("../docs/how/changes.md");
    private static final Path SOURCES = Path.of("src/main/java/dev/weir/testkit");
    private static final Pattern COMMENT = Pattern.compile("/[*].*?[*]/", Pattern.DOTALL);
    private static final Pattern QUOTE = Pattern.compile("\"([^\"]+)\"");

    private static String plain(String text) {
        return text.replaceAll("[*`>]", "").replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
    }

    private static List<String> quotes(Path source) throws IOException {
        List<String> found = new ArrayList<>();
        String text = Files.readString(source);
        if (text.contains("docs/how/changes.md")) {
            Matcher comments = COMMENT.matcher(text);
            while (comments.find()) {
                QUOTE.matcher(plain(comments.group())).results().forEach(quote -> found.add(quote.group(1)));
            }
        }
        return found;
    }

    @Test
    void eachQuoteIsASentenceOfThePage() throws IOException {
        String page = plain(Files.readString(PAGE));
        List<String> all = new ArrayList<>();
        try (Stream<Path> sources = Files.list(SOURCES)) {
            for (Path source : sources.toList()) {
                for (String quote : quotes(source)) {
                    assertTrue(page.contains(quote), () -> source + " quotes what is not in " + PAGE + ": " + quote);
                    all.add(quote);
                }
            }
        }
        assertTrue(all.size() > 10, all::toString);
    }
}
