package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each invariant id in the code is defined in docs/proof/invariants.md, and each class named there uses it. */
@Tag("house")
class InvariantsTest {
    /** In a name or a comment; the classes of the samples (S10_AdaptiveService) are none. */
    private static final Pattern ID =
            Pattern.compile("(?<![A-Za-z0-9])([ACDHKRSWXZ][1-9][0-9]?)(?![A-Za-z0-9])(?!_[A-Z][a-z])");

    private static final Pattern ROW = Pattern.compile("^\\| ([A-Z][0-9]+) \\| .+ \\| (`.*`) \\|$", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    @Test
    void eachIdIsDefinedAndHeldByTheClassesThatAreNamed() throws IOException {
        Map<String, Set<String>> used = usedIds();
        assertTrue(used.size() > 50, used::toString);
        Map<String, Set<String>> defined = new TreeMap<>();
        for (MatchResult row :
                ROW.matcher(Sources.document("proof/invariants.md")).results().toList()) {
            Set<String> classes = new TreeSet<>();
            NAME.matcher(row.group(2)).results().forEach(name -> classes.add(name.group(1)));
            assertEquals(null, defined.put(row.group(1), classes), row.group(1) + " is defined twice");
        }
        assertEquals(used.keySet(), defined.keySet());
        defined.forEach((id, classes) ->
                assertTrue(used.get(id).containsAll(classes), () -> id + " is used by " + used.get(id) + " only"));
    }

    private static Map<String, Set<String>> usedIds() throws IOException {
        Map<String, Set<String>> used = new TreeMap<>();
        for (Path module : Sources.modules()) {
            for (Path file : Sources.java(module, List.of("main", "test"))) {
                ID.matcher(Sources.text(file))
                        .results()
                        .forEach(id -> used.computeIfAbsent(id.group(1), none -> new TreeSet<>())
                                .add(Sources.name(file)));
            }
        }
        return used;
    }
}
