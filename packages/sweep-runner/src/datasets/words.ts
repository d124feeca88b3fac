/** Plain English words for generated prompts. Common ones, so that most tokenizers spend few tokens on each. */
export const WORDS: readonly string[] = `
able about above across after again air all along always among answer any apple area arm around ask autumn away baby back ball
bank base bear beat begin behind bell below best between big bird black blue board boat body bone book born both bottom box boy
branch bread break bridge bright bring brother brown build burn busy butter buy call calm camp can car card care carry case
catch cause center chair chance change chart check child choose church circle city class clean clear climb clock close cloth
cloud coast coat cold color come common cook cool copper corn corner cost cotton count country course cover cow cross crowd
cry current cut dance dark day deal dear deep desert dinner distance doctor dog door double down draw dream dress drink drive
drop dry dust each ear early earth east easy eat edge egg eight empty end engine enough evening ever eye face fact fair fall
family far farm fast father feed feel field fight fill final find fine finger finish fire first fish fit five flat floor flow
flower fly follow food foot force forest form forward four free fresh friend front fruit full game garden gate gather gentle
gift girl give glad glass go gold good grain grand grass gray great green ground group grow guess guide hair half hand happy
harbor hard hat head hear heart heat heavy help high hill hold hole home hope horse hot hour house hundred hunt ice idea inch
iron island join journey jump keep key kind king kitchen knee know ladder lake lamp land large last late laugh law lay lead
leaf learn leave left lemon letter level lift light line list listen little live long look lost loud love low lunch machine
main make map mark market master matter meadow meal mean measure meat meet metal middle mile milk mill mind minute mirror
money month moon morning most mother mountain mouth move music name narrow near neck need nest never new next night nine noise
north nose note number ocean offer office often oil old open orange order other over owner page paint pair paper part party
pass past path pay pencil people piece place plain plan plant plate play point pool poor power present price print quick quiet
rain raise reach read ready reason record red repair rest rice rich ride right ring rise river road rock roll roof room root
rope rose round rule run salt same sand save say school sea season seat second seed sell send serve set seven shade shape share
sharp ship shoe shop shore short shoulder show side sign silver simple sing sister sit six size skin sky sleep slow small smile
smoke snow soft soil song soon sound south space speak speed spell spend spring square stand star start station stay steel step
stick still stone stop store storm story stream street strong sugar summer sun swim table tail take talk tall taste teach team
tell ten test thick thin think third three tide tie time tiny today together tool top touch tower town trade train travel tree
trip true turn twelve twenty two uncle under valley village visit voice wait walk wall warm wash watch water wave wear weather
week weight west wheel white wide wild wind window wing winter wire wish wonder wood wool word work world write yard year yellow
young
`
  .trim()
  .split(/\s+/);
