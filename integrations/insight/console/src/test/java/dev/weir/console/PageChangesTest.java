package dev.weir.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.named.status.LimitStatus;
import dev.weir.spi.Registration;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Changes in the page, in a real browser over a shop under load: of the registry, by pointer, by keys, and by strangers. */
@Tag("real-time")
@TestInstance(Lifecycle.PER_CLASS)
class PageChangesTest {
    private final ShopPage page = new ShopPage();
    private final Browser browser = page.browser;

    @BeforeAll
    void start(@TempDir Path folder) {
        page.start(folder);
    }

    @AfterAll
    void stop() {
        page.close();
    }

    @BeforeEach
    void looks() {
        browser.looks(1440, 1000, "light", false);
        browser.complaints();
    }

    @AfterEach
    void nothingWasComplainedOf() {
        assertEquals(List.of(), browser.complaints());
    }

    @Test
    void textsOfStrangersAreOnlyTexts() throws IOException {
        page.open(Shop.HOSTILE);
        browser.await("document.querySelector('#chosen').textContent === arguments[0]", Shop.HOSTILE);
        Registration hostile = page.shop.limits.override(
                Shop.HOSTILE,
                "concurrency: 1",
                Duration.ofMinutes(1),
                "<b>mallory</b>",
                "</script><script>hacked=1</script>");
        browser.await(
                "document.querySelector('#panel-why').textContent.includes('</script><script>hacked=1</script>')");
        browser.await("document.querySelector('#panel-events').textContent.includes('<b>mallory</b>')");
        hostile.close();
        assertEquals(0, browser.number("return document.querySelectorAll('img, #detail b b, #main script').length"));
        assertFalse(browser.is("window.hacked"));
    }

    /** Counts in the page, frame by frame, because the test may look late. */
    private long framesUntilShown(String limit, Runnable change) {
        browser.script("""
                const [wanted] = arguments;
                const look = () => {
                  const shown = document.querySelector('.numbers dd').textContent === wanted
                      && document.querySelector('#list [aria-selected=true] .used').textContent.endsWith('| ' + wanted);
                  if (shown) window.shownAt = noted.frames; else setTimeout(look, 10);
                };
                window.shownAt = null;
                look();
                """, limit);
        long before = browser.number("return noted.frames");
        change.run();
        browser.await("window.shownAt !== null");
        return browser.number("return window.shownAt") - before;
    }

    @Test
    void aLimitThatTheRegistryChangesIsShownWithinASecond() throws IOException {
        page.open("checkout");
        browser.await("document.querySelector('.numbers dd').textContent === '20'");
        List<Registration> given = new ArrayList<>();
        // two frames are a second
        assertTrue(framesUntilShown(
                        "11",
                        () -> given.add(page.shop.limits.override(
                                "checkout", "concurrency: 11", Duration.ofMinutes(1), "bob", "less")))
                <= 2);
        given.forEach(Registration::close);
        browser.await("document.querySelector('.numbers dd').textContent === '20'");
    }

    private void fill(String field, String value) {
        WebElement input =
                browser.driver().findElement(By.xpath("//dialog[@open]//label[span='" + field + "']/*[last()]"));
        input.clear();
        input.sendKeys(value);
    }

    private void edit(String limit, String concurrency, String why) throws IOException {
        page.open(limit);
        browser.await(
                "document.querySelector('#open-change').offsetWidth > 0 && document.querySelector('.owner').textContent !== ''");
        browser.find("#open-change").click();
        assertTrue(browser.is("document.activeElement.closest('label').textContent === 'concurrency'"));
        fill("concurrency", concurrency);
        fill("why (required)", why);
    }

    @Test
    void aChangeIsPreviewedAppliedAndUndone() throws IOException {
        LimitStatus before = page.shop.limits.limiter("checkout").status();
        edit("checkout", "7", "incident 7");
        browser.find("#preview").click();
        browser.await("document.querySelector('#apply')?.offsetWidth > 0");
        assertTrue(browser.text("#change .facts").contains("20 → 7"), browser.text("#change"));
        assertEquals(
                before.settings(), page.shop.limits.limiter("checkout").status().settings());
        browser.find("#apply").click();
        browser.await("!document.querySelector('#change').open");
        LimitStatus changed = page.shop.limits.limiter("checkout").status();
        assertEquals("7", changed.settings().get("concurrency"));
        assertEquals("ann", changed.override().who());
        assertEquals("incident 7", changed.override().why());
        assertEquals(
                Duration.ofMinutes(15),
                Duration.between(changed.override().since(), changed.override().until()));
        browser.await("document.querySelector('.applied').textContent.includes('incident 7')");
        browser.await("document.activeElement.id === 'undo'");
        browser.find("#undo").click();
        browser.await("document.querySelector('.applied').hidden");
        LimitStatus after = page.shop.limits.limiter("checkout").status();
        assertEquals(before.settings(), after.settings());
        assertEquals(null, after.override());
    }

    /** The second change ends the first, so it has what that changed. */
    @Test
    void aSecondChangeKeepsWhatTheFirstChanged() throws IOException {
        apply("7", "incident 7");
        LimitStatus first = page.shop.limits.limiter("checkout").status();
        edit("checkout", "7", "more room");
        fill("queue.capacity", "9");
        preview();
        LimitStatus second = page.shop.limits.limiter("checkout").status();
        assertEquals("7", second.settings().get("concurrency"));
        assertEquals("9", second.settings().get("queue.capacity"));
        undo();
        assertEquals(
                first.settings(), page.shop.limits.limiter("checkout").status().settings());
        undo();
    }

    private void apply(String concurrency, String why) throws IOException {
        edit("checkout", concurrency, why);
        preview();
    }

    private void preview() {
        browser.find("#preview").click();
        browser.await("document.querySelector('#apply')?.offsetWidth > 0");
        browser.find("#apply").click();
        browser.await("!document.querySelector('#change').open");
    }

    private void undo() {
        long revision = page.shop.limits.limiter("checkout").status().revision();
        browser.await("document.activeElement.id === 'undo'");
        browser.find("#undo").click();
        browser.until(() -> page.shop.limits.limiter("checkout").status().revision() != revision, "nothing was undone");
    }

    @Test
    void nothingIsAppliedOverAChangeThatWasNotSeen() throws IOException {
        edit("checkout", "9", "mine");
        browser.find("#preview").click();
        browser.await("document.querySelector('#apply')?.offsetWidth > 0");
        Registration other =
                page.shop.limits.override("checkout", "concurrency: 8", Duration.ofMinutes(1), "bob", "first");
        browser.find("#apply").click();
        browser.await("document.querySelector('#change .problems').textContent.includes('Nothing was applied')");
        assertEquals(
                "8", page.shop.limits.limiter("checkout").status().settings().get("concurrency"));
        browser.complaints(); // the console tells of the status 409
        browser.find("#again").click();
        browser.await("document.querySelector('#preview').offsetWidth > 0");
        assertEquals(
                List.of("9", "mine"),
                browser.texts("return ['.field input', 'input[required]'].map((each) => "
                        + "document.querySelector('#change ' + each).value)"));
        browser.find("#preview").click();
        browser.await("document.querySelector('#apply')?.offsetWidth > 0");
        assertTrue(browser.text("#change .facts").contains("8 → 9"), browser.text("#change"));
        other.close();
    }

    @Test
    void aDefaultOfCodeIsChangedAsTextAndForADryRun() throws IOException {
        page.open(Shop.HOSTILE);
        browser.await("document.querySelector('.owner').textContent !== ''");
        browser.find("#open-change").click();
        fill("why (required)", "as text");
        browser.find("#change summary").click();
        browser.find("#change textarea").clear();
        browser.find("#change textarea").sendKeys("{ concurrency: 3, enforce: 0 }");
        browser.find("#preview").click();
        browser.await("document.querySelector('#apply')?.offsetWidth > 0");
        browser.find("#apply").click();
        browser.await("document.querySelector('.title .marks').textContent === 'concurrency · override · dry run'");
        browser.await("document.activeElement.id === 'undo'");
        browser.find("#undo").click();
        browser.await("document.querySelector('.title .marks').textContent === 'concurrency'");
    }

    @Test
    void aPageWhoseTokenReadsOffersNoChange() throws IOException {
        Path reading = page.folder.resolve("read");
        try (Console other =
                Console.builder(page.shop.limits).readToken("bob", reading).start()) {
            page.open(other.uri(), reading, "checkout");
            browser.await("document.querySelector('#access').offsetWidth > 0");
            browser.await("document.querySelector('#open-change').textContent === 'Sign in to change'");
            browser.find("#open-change").click();
            browser.await("document.querySelector('#login').open");
            browser.open(URI.create("about:blank"));
        }
    }

    @Test
    void allIsDoneByKeysAlone() throws IOException {
        LimitStatus before = page.shop.limits.limiter("payments").status();
        page.open("");
        for (int i = 0; i < 12 && !browser.is("document.activeElement.id === 'list'"); i++) {
            press(Keys.TAB);
        }
        for (int i = 0;
                i < 20 && !browser.is("document.querySelector('[data-active]')?.dataset.name === 'payments'");
                i++) {
            press(i == 0 ? Keys.HOME : Keys.ARROW_DOWN);
        }
        press(Keys.ENTER);
        browser.await("document.activeElement.id === 'chosen' && document.activeElement.textContent === 'payments'");
        browser.await("document.querySelector('.owner').textContent !== ''");
        for (int i = 0; i < 6 && !browser.is("document.activeElement.id === 'open-change'"); i++) {
            press(Keys.TAB);
        }
        press(Keys.ENTER);
        browser.await("document.querySelector('#change').open");
        for (int i = 0;
                i < 12 && !browser.is("document.activeElement.closest('label')?.textContent === 'adaptive.max'");
                i++) {
            press(Keys.TAB);
        }
        press("25");
        for (int i = 0; i < 12 && !browser.is("document.activeElement.required"); i++) {
            press(Keys.TAB);
        }
        press("by keys" + Keys.ENTER);
        browser.await("document.activeElement.id === 'apply'");
        press(Keys.ENTER);
        browser.await("document.activeElement.id === 'undo'");
        assertEquals(
                "25", page.shop.limits.limiter("payments").status().settings().get("adaptive.max"));
        press(Keys.ENTER);
        browser.await("document.querySelector('.applied').hidden");
        assertEquals(
                before.settings(), page.shop.limits.limiter("payments").status().settings());
    }

    private void press(CharSequence keys) {
        browser.driver().switchTo().activeElement().sendKeys(keys);
    }
}
