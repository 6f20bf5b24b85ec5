package dev.weir.house;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.core.domain.JavaModifier.STATIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The arrows of the house, and what its code may not do. */
@Tag("house")
class HouseRulesTest {
    private static final JavaClasses WEIR = Imported.ALL;

    /** What these test is real time: processes, servers, threads beside a store, and the processor itself. */
    private static final Set<String> IN_REAL_TIME = new TreeSet<>(Set.of(
            "ColdProcess",
            "CpuSignalTest",
            "FollowingQueueStressTest",
            "HandOverTest",
            "HolderProcess",
            "JoiningThreadsTest",
            "KeyedLoad",
            "MapStoreLeasesTest",
            "MemberProcess",
            "NamedHistoriesTest",
            "NemesisLoad",
            "PostgresNemesisTest",
            "RandomKeysTest",
            "RedisLimiterNemesisTest",
            "ReloadStressTest",
            "ShareMember",
            "ShareProcessesContract",
            "ShareRegistryContract",
            "ShareSamples",
            "ShareThreadsTest",
            "SharingProcess",
            "StoreRateLimiterThreadsTest",
            "WhenAwayTest"));

    @Test
    void callersSeeOnlyTheJdk() {
        classes()
                .that()
                .resideInAPackage("dev.weir")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.weir", "java..", "org.jspecify..")
                .check(WEIR);
    }

    @Test
    void theSpiKnowsNoEngine() {
        classes()
                .that()
                .resideInAPackage("dev.weir.spi")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.weir", "dev.weir.spi", "java..", "org.jspecify..")
                .check(WEIR);
    }

    @Test
    void strategiesKnowNoEngine() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.weir.algorithms", "dev.weir.budget", "dev.weir.keyed")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.weir.engine..", "dev.weir.testkit..", "dev.weir.micrometer..")
                .check(WEIR);
    }

    @Test
    void adaptiveControlKnowsNoStrategyAndNoQueue() {
        classes()
                .that()
                .resideInAPackage("dev.weir.adaptive..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir",
                        "dev.weir.spi",
                        "dev.weir.engine",
                        "dev.weir.internal",
                        "dev.weir.succession",
                        "dev.weir.adaptive..",
                        "java..",
                        "javax.management..",
                        "com.sun.management..",
                        "oshi..",
                        "org.jspecify..")
                .check(WEIR);
    }

    @Test
    void onlySignalsAskTheMachine() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.weir.adaptive.signal")
                .and()
                .doNotHaveFullyQualifiedName("dev.weir.testkit.CpuBudget")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("oshi..", "java.lang.management..", "javax.management..", "com.sun.management..")
                .check(WEIR);
    }

    @Test
    void packagesHaveNoCycles() {
        // The rates of stores are an integration: they know documents, and documents know stores.
        slices().matching("dev.weir.(*)..")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(resideInAPackage("dev.weir.store.rates.."), alwaysTrue())
                .check(WEIR);
    }

    /** Disciplines know no queue, and the queue knows no executor. */
    @Test
    void packagesOfTheQueueHaveNoCycles() {
        slices().matching("dev.weir.(queue|queue.discipline|executor)")
                .should()
                .beFreeOfCycles()
                .check(WEIR);
        noClasses()
                .that()
                .resideInAnyPackage("dev.weir.queue", "dev.weir.queue.discipline")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.weir.executor")
                .check(WEIR);
        noClasses()
                .that()
                .resideInAPackage("dev.weir.queue.discipline")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.weir.queue")
                .check(WEIR);
    }

    /** Control knows no controller, no sensor, no ramp and no file: each of these knows control. */
    @Test
    void packagesOfAdaptiveControlHaveNoCycles() {
        slices().matching("dev.weir.(adaptive|adaptive.controller|adaptive.signal|adaptive.state|adaptive.warmup)")
                .should()
                .beFreeOfCycles()
                .check(WEIR);
        noClasses()
                .that()
                .resideInAPackage("dev.weir.adaptive")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir.adaptive.controller",
                        "dev.weir.adaptive.signal",
                        "dev.weir.adaptive.state",
                        "dev.weir.adaptive.warmup")
                .check(WEIR);
    }

    /** The registry knows sources, values and documents, and none of these knows it; a tree knows no document. */
    @Test
    void packagesOfConfigurationHaveNoCycles() {
        slices().matching(
                        "dev.weir.(config|config.builtin|config.document|config.document.tree|config.factory|config.follow|config.schema|config.source|config.value)")
                .should()
                .beFreeOfCycles()
                .check(WEIR);
        noClasses()
                .that()
                .resideInAnyPackage("dev.weir.config.(*)..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.weir.config")
                .check(WEIR);
        classes()
                .that()
                .resideInAPackage("dev.weir.config.document.tree")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir.config.document.tree",
                        "java..",
                        "com.fasterxml.jackson.core..",
                        "org.snakeyaml.engine..",
                        "org.jspecify..")
                .check(WEIR);
    }

    /** Names know no document, so that an edge that needs names brings no parser; documents know the settings only. */
    @Test
    void namesKnowNoDocument() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.named..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.weir.config..", "com.fasterxml..", "org.snakeyaml..")
                .check(WEIR);
        slices().matching("dev.weir.(named|named.backend|named.delivery|named.plan|named.recorder|named.status)")
                .should()
                .beFreeOfCycles()
                .check(WEIR);
        noClasses()
                .that()
                .resideInAPackage("dev.weir.named.status")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.weir.named", "dev.weir.named.backend", "dev.weir.named.delivery")
                .check(WEIR);
        noClasses()
                .that()
                .resideInAnyPackage("dev.weir.config.document..", "dev.weir.config.value")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.weir.named", "dev.weir.named.backend", "dev.weir.named.status")
                .check(WEIR);
    }

    @Test
    void onlyTheSystemTickerReadsTheClock() {
        noClasses()
                .that()
                .haveNameNotMatching("dev\\.weir\\.(SystemTicker|testkit\\.Seed)")
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(WEIR);
    }

    /** A test counts steps, uses virtual time, or compares within one run: a machine may be slow. */
    @Test
    void testsDoNotReadTheClock() throws IOException {
        Pattern clock = Pattern.compile("\\b(System(?:[.]|::)(nanoTime|currentTimeMillis)|Ticker(?:[.]|::)system"
                + "|(Instant|LocalDateTime)(?:[.]|::)now|Clock[.]system\\w*)\\b|\\bassertTimeout[(]");
        Set<String> reading = new TreeSet<>();
        int tests = 0;
        for (Path module : Sources.modules()) {
            for (Path test : Sources.java(module, List.of("test"))) {
                tests++;
                if (clock.matcher(Sources.text(test)).find()) {
                    reading.add(Sources.name(test));
                }
            }
        }
        assertTrue(tests > 100, "tests: " + tests);
        reading.remove("HouseRulesTest");
        assertEquals(IN_REAL_TIME, reading);
    }

    @Test
    void nobodySleepsOrKeepsThingsByThread() {
        noClasses()
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(WEIR);
    }

    @Test
    void nothingStaticChanges() {
        fields().that().areStatic().should().beFinal().check(WEIR);
    }

    /** It stays in the class file: {@code javac -Xlint:all} of a user would miss the annotation's own class. */
    @Test
    void noTypeThatUsersCompileAgainstHasGuardedBy() {
        Set<String> annotated = WEIR.stream()
                .filter(type -> type.getMembers().stream().anyMatch(member -> member.isAnnotatedWith(GuardedBy.class)))
                .map(JavaClass::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(annotated.contains("dev.weir.engine.Engine"), annotated::toString);
        for (Products module : Products.values()) {
            ExportedTypes.of(module).map(Class::getName).forEach(type -> assertFalse(annotated.contains(type), type));
        }
    }

    @Test
    void classesAreNotForInheriting() {
        classes()
                .that()
                .areTopLevelClasses()
                .and()
                .areNotInterfaces()
                .and()
                .doNotHaveFullyQualifiedName("dev.weir.Permit")
                .and()
                .doNotHaveFullyQualifiedName("dev.weir.store.NotCountedException")
                .and()
                .doNotHaveFullyQualifiedName("dev.weir.testkit.StrategyContract")
                .and()
                .doNotHaveFullyQualifiedName("dev.weir.testkit.EdgeContract")
                .and()
                .resideOutsideOfPackage("dev.weir.store.contract")
                .and(describe("are not sealed", type -> !type.reflect().isSealed()))
                .and()
                .areNotEnums()
                .should()
                .haveModifier(FINAL)
                .check(WEIR);
    }

    @Test
    void namesSayTheThing() {
        noClasses()
                .should()
                .haveNameMatching(".*\\.(Abstract\\w*|\\w*(Util|Utils|Manager|Impl|Helper|Base))")
                .check(WEIR);
        methods()
                .that()
                .arePublic()
                .and()
                .doNotHaveModifier(STATIC)
                .should()
                .haveNameNotMatching("get[A-Z].*")
                .orShould()
                .haveFullName("dev.weir.LimitExceededException.getMessage()")
                .orShould()
                .haveFullName("dev.weir.http.source.internal.HttpConnection$LimitedBody.getBody()")
                .orShould()
                .haveFullName("dev.weir.spring.boot.WeirWebFluxAutoConfiguration$OrderedFilter.getOrder()")
                .orShould()
                .haveFullName("dev.weir.share.MeasuredDemand.getAsLong()")
                .check(WEIR);
    }
}
