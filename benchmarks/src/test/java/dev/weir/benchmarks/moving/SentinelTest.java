package dev.weir.benchmarks.moving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import dev.weir.Permit;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/start/from-sentinel.md: the same program before and after, and what it says of both. */
@SuppressWarnings("try") // an entry is closed, and not read
class SentinelTest {
    private int sold;
    private int refused;

    /** Sentinel writes logs, by default into the home of the user. */
    @BeforeAll
    static void logsElsewhere() {
        System.setProperty("csp.sentinel.log.dir", Path.of("target/sentinel").toString());
    }

    @AfterEach
    void noRules() {
        FlowRuleManager.loadRules(List.of());
    }

    private void sell() {
        sold++;
    }

    private void busy() {
        refused++;
    }

    private static FlowRule atOnce(String resource, int threads) {
        FlowRule rule = new FlowRule(resource);
        rule.setGrade(RuleConstant.FLOW_GRADE_THREAD);
        rule.setCount(threads);
        return rule;
    }

    @Test
    void theirsSells() {
        // #region theirs
        FlowRule rule = new FlowRule("checkout");
        rule.setGrade(RuleConstant.FLOW_GRADE_THREAD);
        rule.setCount(20);
        FlowRuleManager.loadRules(List.of(rule));

        try (Entry entry = SphU.entry("checkout")) {
            sell();
        } catch (BlockException full) {
            busy();
        }
        // #endregion theirs
        assertEquals("1 0", sold + " " + refused);
    }

    @Test
    void oursSells(@TempDir Path folder) throws Exception {
        try (LimiterRegistry registry = MovedDocument.of("from-sentinel", folder)) {
            // #region ours
            NamedLimiter checkout = registry.limiter("checkout");
            checkout.run(this::sell, full -> busy());
            // #endregion ours
            assertEquals("1 0", sold + " " + refused);
            for (int i = 0; i < 20; i++) {
                assertTrue(checkout.tryAcquire() instanceof Permit);
            }
            checkout.run(this::sell, full -> busy());
            assertEquals("1 1", sold + " " + refused);
        }
    }

    @Test
    void aNameThatNoRuleHasIsNotLimitedByTheirsAndAnErrorInOurs(@TempDir Path folder) throws Exception {
        FlowRuleManager.loadRules(List.of(atOnce("checkout", 0)));
        try (Entry entry = SphU.entry("chekout")) {
            sell();
        }
        assertEquals(1, sold);
        try (LimiterRegistry registry = MovedDocument.of("from-sentinel", folder)) {
            assertTrue(assertThrows(IllegalArgumentException.class, () -> registry.limiter("chekout"))
                    .getMessage()
                    .contains("did you mean checkout?"));
        }
    }

    /** Each list replaces the one before, so a rule that a push forgets is gone. */
    @Test
    void aRuleThatIsMissingInTheNextListIsGone() throws Exception {
        FlowRuleManager.loadRules(List.of(atOnce("checkout", 0)));
        assertThrows(BlockException.class, () -> SphU.entry("checkout"));
        FlowRuleManager.loadRules(List.of(atOnce("search", 20)));
        try (Entry entry = SphU.entry("checkout")) {
            sell();
        }
        assertEquals(1, sold);
    }
}
