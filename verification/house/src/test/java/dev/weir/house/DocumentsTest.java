package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A name of a type in a document is that of a type in the code, or one that the code imports; each meter is in the reference. */
@Tag("house")
class DocumentsTest {
    private static final Pattern BLOCK = Pattern.compile("```.*?```", Pattern.DOTALL);
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern TYPE = Pattern.compile("(?<![\\w/.-])([A-Z]\\w*[a-z]\\w*)\\b(?!-[A-Z])");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");
    private static final Pattern IMPORTED =
            Pattern.compile("^import (?:static )?[\\w.]*?\\.([A-Z]\\w*)", Pattern.MULTILINE);

    /** Types of others that no source imports, and words that are code but no types. */
    private static final Set<String> FOREIGN = Set.of(
            "Apollo",
            "BucketListener",
            "BulkheadRegistry",
            "CgroupInfo",
            "ConcurrencyLimit",
            "Context",
            "ContractTest",
            "DelegatingSecurityContextExecutorService",
            "DiscardOldestPolicy",
            "DiscardPolicy",
            "EnableResilientMethods",
            "Envoy",
            "Grad2Win",
            "Ignored",
            "InvocationRejectedException",
            "KeyResolver",
            "Order",
            "ProxyManager",
            "RateLimit",
            "RateLimiterRegistry",
            "RedisRateLimiter",
            "Retryable",
            "S1_S2_brokenTwin_aPlainWriteLosesARelease",
            "S2_S13_capacityIsConserved",
            "Spring",
            "TaggedBulkheadMetrics",
            "Tests",
            "The",
            "Transactional",
            "X_h",
            "X_l");

    @Test
    void namesTypesThatExist() throws IOException {
        Set<String> known = new HashSet<>(FOREIGN);
        for (Path module : Sources.modules()) {
            for (Path file : Sources.java(module, List.of("main", "test"))) {
                String source = Sources.text(file);
                known.addAll(firstGroups(DECLARED, source));
                known.addAll(firstGroups(IMPORTED, source));
            }
        }
        List<Path> documents = new ArrayList<>(Sources.documents());
        documents.add(Sources.module("CONTRIBUTING.md"));
        assertTrue(documents.size() > 20, documents::toString);
        for (Path document : documents) {
            String text = BLOCK.matcher(Sources.text(document)).replaceAll("");
            Set<String> unknown = new TreeSet<>();
            firstGroups(CODE, text).forEach(code -> unknown.addAll(firstGroups(TYPE, code)));
            unknown.removeIf(name -> known.contains(name) || isOfJavaLang(name));
            assertEquals(Set.of(), unknown, document::toString);
        }
    }

    /** Words for which the vocabulary has the field's own. */
    @Test
    void usesNoPrivateWords() throws IOException {
        Pattern banned = Pattern.compile(
                "(?i)\\b(he|his|him|deaf|patience|asker|passer-by|residents|come home|comes home|in line|whose turn)\\b");
        Set<String> found = new TreeSet<>();
        for (Path document : Sources.documents()) {
            String text = BLOCK.matcher(Sources.text(document)).replaceAll("");
            firstGroups(banned, text).forEach(word -> found.add(document + ": " + word));
        }
        assertEquals(Set.of(), found);
    }

    @Test
    void eachMeterIsInTheReference() throws IOException {
        Set<String> registered = new TreeSet<>();
        for (Path file : Sources.java(Sources.module("integrations/insight/micrometer"), List.of("main"))) {
            registered.addAll(firstGroups(Pattern.compile("\"(weir[.][a-z.]+)\""), Sources.text(file)));
        }
        assertTrue(registered.size() > 20, registered::toString);
        String reference = Sources.document("reference/meters.md");
        assertEquals(registered, new TreeSet<>(firstGroups(Pattern.compile("`(weir[.][a-z.]+)`"), reference)));
    }

    private static boolean isOfJavaLang(String name) {
        try {
            Class.forName("java.lang." + name, false, null);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static Set<String> firstGroups(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toSet());
    }
}
