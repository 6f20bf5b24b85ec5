package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.redis.contract.ScriptCall;
import dev.weir.redis.contract.ScriptContract;
import dev.weir.spi.StrategySpec;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Scripts with one mistake each fail the contract. */
@Tag("nightly")
@Needs(Server.REDIS)
class ScriptTwinsTest {
    private static RedisServer server;
    private static RedisClient client;
    private static RedisCommands<byte[], byte[]> commands;

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory();
        client = RedisClient.create(server.uri());
        commands = client.connect(ByteArrayCodec.INSTANCE).sync();
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    @Test
    void R1_brokenTwin_aWindowKeepsOneBlockTooFew() {
        fails("- s.P[5]\n", "- s.P[5] + 1\n", Twin::bound);
    }

    @Test
    void R1_brokenTwin_aFixedWindowEndsOneMicrosecondLate() {
        fails("time - start >= period", "time - start > period", Twin::model);
    }

    @Test
    void R1_brokenTwin_anEntryOfALogCountsOneMicrosecondLonger() {
        fails("'(%.0f', s.time", "'%.0f', s.time", Twin::retry);
    }

    @Test
    void R1_brokenTwin_onlyTheFirstOfSeveralRatesDecides() {
        fails("if room < least or not tightest then", "if not tightest then", Twin::model);
    }

    @Test
    void R1_brokenTwin_aPacerForgetsTheSlotOfALateRequest() {
        fails("r.missing = r.cost\n", "r.missing = 0\n", Twin::model);
    }

    @Test
    void R1_brokenTwin_aBucketEarnsOneUnitForEachRequest() {
        fails("own - (now - at) * leak)\n", "own - (now - at) * leak - 1)\n", Twin::model);
    }

    @Test
    void R4_brokenTwin_timeThatGoesBackCounts() {
        fails("math.max(0, now - s.at)", "math.abs(now - s.at)", Twin::clock);
    }

    @Test
    void W5_brokenTwin_aDebtIsCut() {
        fails("r.ceiling = math.max(r.cap, size)\n", "r.missing = r.cap\n", Twin::alternate);
    }

    @Test
    void W6_brokenTwin_aWindowDropsADebt() {
        fails("if not s then\n    return { leak", "if true then\n    return { leak", Twin::pairs);
    }

    @Test
    void W6_brokenTwin_theDebtBesideASmallLimitHasNoCeilingOfItsOwn() {
        fails("math.max(most * cost, size)", "most * cost", Twin::pairs);
    }

    @Test
    void brokenTwin_aRetryIsRoundedDown() {
        fails("math.ceil(units / leak)", "math.floor(units / leak)", Twin::retry);
    }

    @Test
    void brokenTwin_aRefusedRequestExtendsTheBan() {
        fails("starts = banned == 0 and", "starts =", Twin::model);
    }

    @Test
    void D3_brokenTwin_keysLiveForAMinute() {
        fails("math.floor(micros / 1000) + MARGIN", "60000 + MARGIN", Twin::timeToLive);
    }

    @Test
    void D8_brokenTwin_anAbsentKeyIsUnusedAfterARestart() {
        fails("elseif since > 0 then", "elseif since < 0 then", Twin::since);
    }

    @Test
    void D10_brokenTwin_numbersOfAnySizeAreBelieved() {
        fails("if number > MOST then", "if false then", Twin::junk);
    }

    @Test
    void D10_brokenTwin_whatIsReplacedIsNotTold() {
        fails("healed = junk and 1 or 0", "healed = 0", Twin::junk);
    }

    private static void fails(String right, String wrong, Consumer<Twin> test) {
        Twin twin = new Twin(right, wrong);
        assertThrows(AssertionError.class, () -> test.accept(twin), wrong);
        assertTrue(twin.changed, right);
    }

    private static final class Twin extends ScriptContract {
        private final String right;
        private final String wrong;
        private boolean changed;

        Twin(String right, String wrong) {
            this.right = right;
            this.wrong = wrong;
            prepare();
        }

        @Override
        protected RedisClusterCommands<byte[], byte[]> commands() {
            return commands;
        }

        @Override
        protected ScriptCall call(StrategySpec spec, int operation, long permits, long since) {
            RedisRate rate = RedisRate.of(spec);
            String text = rate.script().text().replace(right, wrong);
            changed |= !text.equals(rate.script().text());
            return new ScriptCall(text, rate.arguments(operation, permits, since));
        }

        void model() {
            D1_D2_eachAnswerIsThatOfAnExactModel();
        }

        void bound() {
            R1_noWindowOfTheServersTimeHasMoreThanTheBound();
        }

        void clock() {
            R4_aClockThatGoesBackAndForthEarnsNothing();
        }

        void alternate() {
            W5_W6_specificationsThatAlternateGrantNoMoreThanTheLargest();
        }

        void pairs() {
            W6_eachPairKeepsWhatWasUsedAndLocksNobodyOut();
        }

        void retry() {
            aRetryIsGrantedExactlyWhenToldAndNotOneMicrosecondEarlier();
        }

        void timeToLive() {
            D3_aKeyLivesAsLongAsItsLimitIsUsedAndNoLongerThanTwice();
        }

        void since() {
            D8_anEvenRateCountsAsUsedUpSinceARestart();
        }

        void junk() {
            D10_anythingElseUnderTheKeyIsReplacedAndTold();
        }
    }
}
