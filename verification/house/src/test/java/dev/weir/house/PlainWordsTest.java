package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One word for one thing, in names, comments and messages of the published modules, and in the documents. */
@Tag("house")
class PlainWordsTest {
    /** Never right; the vocabulary says what is. */
    private static final Map<String, Pattern> BANNED = Map.ofEntries(
            banned("come home", "(come|comes|came|coming) home|home again"),
            banned("turn away", "(turn|turns|turned|turning) away"),
            banned("let in", "(let|lets|letting)( it| him| them)? in"),
            banned("give back", "(give|gives|gave|given|giving)( \\w+){0,3} back"),
            banned("passed over", "passed over"),
            banned("wait in line", "(stand|stands|standing|wait|waits|waiting) in line"),
            banned("deaf", "deaf"),
            banned("asker", "askers?"),
            banned("passer-by", "passers?[ -]by"),
            banned("resident", "residents?"),
            banned("patience", "patience"),
            banned("judge", "judge[sd]?|judging|judgements?"),
            banned("wish", "wish(es)?"),
            banned("owing", "owing"),
            banned("he", "he|him|his"),
            banned("lest", "lest"),
            banned("anew", "anew|afresh"),
            banned("unless told", "unless told"),
            banned("of one's own", "of one's own"),
            banned("refusal", "refusals?"),
            banned("heir", "heirs?"),
            banned("clairvoyant", "clairvoyants?"));

    /** Between the words of a name, and between lines of a comment. */
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|_");

    private static final Pattern BREAK = Pattern.compile("\\s*\n\\s*(//|\\*(?!/))?\\s*");

    /** Code in a document, such as the old name of a method. */
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\n]*`");

    private static Map.Entry<String, Pattern> banned(String word, String forms) {
        return Map.entry(word, Pattern.compile("\\b(?:" + forms + ")\\b", Pattern.CASE_INSENSITIVE));
    }

    @Test
    void noWordIsPrivate() {
        List<String> used = new ArrayList<>();
        for (Products module : Products.values()) {
            for (Path file : module.allSources()) {
                find(file, HUMP.matcher(Products.read(file)).replaceAll(" "), used);
            }
        }
        assertEquals(List.of(), used, () -> String.join("\n", used));
    }

    @Test
    void noWordOfADocumentIsPrivate() throws IOException {
        List<Path> documents = new ArrayList<>(Sources.documents());
        for (String page : new String[] {"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}) {
            documents.add(Sources.module(page));
        }
        List<String> used = new ArrayList<>();
        for (Path file : documents) {
            find(file, CODE.matcher(Products.read(file)).replaceAll("..."), used);
        }
        assertTrue(documents.size() > 25, documents::toString);
        assertEquals(List.of(), used, () -> String.join("\n", used));
    }

    private static void find(Path file, String content, List<String> used) {
        String text = BREAK.matcher(content).replaceAll(" ");
        BANNED.forEach((word, forms) -> {
            for (Matcher found = forms.matcher(text); found.find(); ) {
                used.add(file.getFileName() + ", " + word + ": ..."
                        + text.substring(Math.max(0, found.start() - 30), Math.min(text.length(), found.end() + 30))
                        + "...");
            }
        });
    }

    @Test
    void noTwoTypesHaveTheSameName() {
        Set<String> types = new TreeSet<>();
        List<String> twice = new ArrayList<>();
        for (Products module : Products.values()) {
            for (Path file : module.sources()) {
                String type = file.getFileName().toString().replace(".java", "");
                if (!types.add(type)) {
                    twice.add(type);
                }
            }
        }
        assertTrue(types.size() > 200, types::toString);
        assertEquals(List.of(), twice);
    }
}
