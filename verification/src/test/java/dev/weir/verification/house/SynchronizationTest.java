package dev.weir.verification.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/synchronization.md names the fields that there are, and each field that threads share. Names are {@code Class.field}. */
@Tag("house")
class SynchronizationTest {
    private static final List<String> MODULES = List.of("api", "algorithms", "admission-queue", "adaptive", "config");
    private static final Pattern ROW = Pattern.compile("^\\| (.+?) \\|", Pattern.MULTILINE);
    private static final Pattern RULE = Pattern.compile("^- `\\*\\.(\\w+)`", Pattern.MULTILINE);
    private static final Pattern NAME =
            Pattern.compile("`(?:((?:[A-Z]\\w*\\.)*[A-Z]\\w*)(?:\\.([a-z]\\w*|\\*))?|([a-z]\\w*))`");
    private static final Pattern LOCKED = Pattern.compile("synchronized \\((\\w+)");

    private final Map<String, Set<String>> fields = new TreeMap<>();
    private final Set<String> shared = new TreeSet<>();
    private final Set<String> named = new TreeSet<>();
    private final Set<String> wrong = new TreeSet<>();

    @Test
    void namesEachSharedFieldOnce() throws IOException {
        String document = Sources.document("synchronization.md");
        readClasses();
        ROW.matcher(document).results().forEach(row -> readNames(row.group(1)));
        assertEquals(Set.of(), wrong, "unknown, or named twice");
        Set<String> excluded =
                RULE.matcher(document).results().map(rule -> rule.group(1)).collect(Collectors.toSet());
        shared.removeIf(field -> named.contains(field) || excluded.contains(nameIn(field)) || isAccessor(field));
        assertEquals(Set.of(), shared, "shared, but not in docs/synchronization.md");
    }

    @Test
    void mentionsEachClassThatLocks() throws IOException {
        String document = Sources.document("synchronization.md");
        Set<String> missing = new TreeSet<>();
        for (String module : MODULES) {
            for (Path file : Sources.java(Sources.module(module), List.of("main"))) {
                String source = Sources.text(file);
                boolean locks = Pattern.compile("^ .*\\bsynchronized [^{]*[({]", Pattern.MULTILINE)
                        .matcher(source)
                        .find();
                if (locks && !document.contains("`" + Sources.name(file))) {
                    missing.add(Sources.name(file));
                }
                lockedFields(source, Sources.name(file)).stream()
                        .filter(lock -> !document.contains(lock))
                        .forEach(missing::add);
            }
        }
        assertEquals(Set.of(), missing);
    }

    /* Of "synchronized (name)" where that is a field; some lock a local variable. */
    private static Set<String> lockedFields(String source, String type) {
        return LOCKED.matcher(source)
                .results()
                .map(lock -> lock.group(1))
                .filter(lock -> Pattern.compile("(private|final) .*\\b" + lock + "( =|;)")
                        .matcher(source)
                        .find())
                .map(lock -> "." + lock + "`")
                .collect(Collectors.toSet());
    }

    private void readClasses() {
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.weir")) {
            if (type.getPackageName().matches("dev\\.weir\\.(verification|testkit|micrometer)\\b.*")) {
                continue;
            }
            String name =
                    type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
            Set<String> own = fields.computeIfAbsent(name, none -> new TreeSet<>());
            for (JavaField field : type.getFields()) {
                own.add(field.getName());
                if (isShared(field)) {
                    shared.add(name + "." + field.getName());
                }
            }
        }
        assertTrue(shared.size() > 80, shared::toString);
    }

    private static boolean isShared(JavaField field) {
        String type = field.getRawType().getBaseComponentType().getName();
        return field.getModifiers().contains(JavaModifier.VOLATILE)
                || type.matches("java\\.util\\.concurrent\\.(atomic|locks)\\..*")
                || type.equals("java.lang.invoke.VarHandle");
    }

    /* A name without a class is of the class of the name before. */
    private void readNames(String cell) {
        String type = "";
        Matcher names = NAME.matcher(cell);
        for (MatchResult name : names.results().toList()) {
            type = name.group(1) == null ? type : name.group(1);
            String field = name.group(3) == null ? name.group(2) : name.group(3);
            Set<String> own = fields.get(type);
            if (own == null) {
                wrong.add(type + " in " + cell);
            } else if (field != null && !field.equals("*")) {
                if (!own.contains(field) || !named.add(type + "." + field)) {
                    wrong.add(type + "." + field);
                }
            } else if (field != null) {
                String prefix = type + ".";
                own.forEach(each -> named.add(prefix + each));
            }
        }
    }

    private static String nameIn(String field) {
        return field.substring(field.lastIndexOf('.') + 1);
    }

    /* A constant SPENT of Bucket accesses the field Bucket.spent or Bucket.Line.spent. */
    private boolean isAccessor(String constant) {
        String type = constant.substring(0, constant.lastIndexOf('.') + 1);
        String field = nameIn(constant);
        return field.equals(field.toUpperCase(Locale.ROOT))
                && named.stream()
                        .anyMatch(each -> each.startsWith(type) && nameIn(each).equalsIgnoreCase(field));
    }
}
